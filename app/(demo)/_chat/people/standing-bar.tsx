"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { type Ref, useEffect, useRef } from "react";
import { problemOf } from "../../_session/gateway.ts";
import { Button, buttonLook } from "../../_ui/button.tsx";
import { toast } from "../../_ui/toast.tsx";
import { type Standing, useChat, usePanel } from "../chat-context.ts";
import { copyText } from "../copy.ts";
import { channelName } from "../data/channels.ts";
import { readDraft } from "../data/drafts.ts";
import { isSystemPost, type Post, type ShownChannel } from "../data/model.ts";
import { agoOf } from "../data/times.ts";
import { useMembership, useUsers } from "../data/use-channels.ts";
import { emojify } from "../emoji/emojify.ts";
import { strings } from "../strings.en.ts";
import { Faces } from "./faces.tsx";

/**
 * Stands in for the composer when somebody may read but not write: why, what can be done, and what becomes of the text
 * that was begun.
 */
export function StandingBar({
  channelId,
  rootId,
  standing,
  isPrivate,
  mayLeave = false,
}: {
  channelId: string;
  rootId: string;
  standing: Exclude<Standing, "member">;
  isPrivate: boolean;
  mayLeave?: boolean;
}) {
  const { me } = useChat();
  const draft = readDraft(me.username, channelId, rootId);
  const isClosed = ["archived", "deactivated"].includes(standing) || (standing === "removed" && isPrivate);
  const text = strings.channel.standing[standing === "removed" && isPrivate ? "removedPrivate" : standing];
  return (
    <div className="border-t border-line bg-surface p-4 text-center text-sm text-ink-soft">
      <p role={rootId === "" && standing !== "guest" ? "alert" : undefined}>{text}</p>
      {draft !== "" && (
        <p className="mt-1">
          <span>{isClosed ? strings.channel.standing.draft : strings.channel.standing.draftKept}</span>
          {isClosed && (
            <Button size="small" tone="plain" className="ms-1" onClick={() => void copyText(draft)}>
              {strings.message.copyText}
            </Button>
          )}
        </p>
      )}
      <div className="mt-3 flex flex-wrap items-center justify-center gap-3 empty:hidden">
        {!isClosed && <JoinButton channelId={channelId} isAgain={standing === "removed"} />}
        {rootId === "" && mayLeave && <LeaveButton channelId={channelId} />}
        {rootId === "" && standing !== "guest" && (
          <Link href="/chat" prefetch={false} className={buttonLook()}>
            {strings.channel.back}
          </Link>
        )}
      </div>
    </div>
  );
}

const MOST_FACES = 5;

/** Stands in for the composer when somebody looks into a public channel: what it is, who talks there, and the way in or on. */
export function GuestBar({
  shown,
  memberCount,
  posts,
  isAtEnd,
}: {
  shown: ShownChannel;
  memberCount: number | undefined;
  /** Those that are loaded, oldest first. */
  posts: readonly Post[];
  /** The last of them is the last of the channel. */
  isAtEnd: boolean;
}) {
  const { me } = useChat();
  const { open } = usePanel();
  const users = useUsers();
  const joining = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Whoever came by the finder is given back to the button that opened it, which is not what they look at.
    if (document.querySelector("[role=dialog], :focus:is(input, textarea)") === null)
      joining.current?.focus({ preventScroll: true });
  }, []);
  const said = posts.filter((post) => !isSystemPost(post) && post.delete_at === 0).reverse();
  const authors = [...new Set(said.map(({ user_id }) => user_id))].flatMap((id) => users[id] ?? []);
  const faces = authors.slice(0, MOST_FACES);
  const lastAt = said[0]?.create_at;
  const facts =
    memberCount !== undefined &&
    (isAtEnd
      ? strings.finder.facts(memberCount, lastAt === undefined ? null : agoOf(lastAt))
      : strings.channel.members(memberCount));
  return (
    <section
      aria-label={strings.channel.about(channelName(shown, me.id))}
      className="column border-t border-line bg-surface py-3 text-sm text-ink-soft"
    >
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <div className="min-w-0 grow basis-64">
          {[shown.purpose, shown.header].map(
            (line) =>
              line !== "" && (
                <p key={line} dir="auto" className="mb-0.5 line-clamp-3 text-ink [overflow-wrap:anywhere]">
                  {emojify(line)}
                </p>
              ),
          )}
          <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs">
            {faces.length > 0 && (
              <>
                <Faces users={faces} size="small" />
                <span className="sr-only">
                  {strings.guest.writers(strings.list(faces.map(({ username }) => username)))}
                </span>
              </>
            )}
            {facts && <span>{facts}</span>}
          </div>
          <p className="mt-1">{strings.channel.standing.guest}</p>
        </div>
        <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:*:grow">
          <JoinButton ref={joining} channelId={shown.id} />
          <Button onClick={() => open("browse")}>{strings.guest.others}</Button>
        </div>
      </div>
    </section>
  );
}

/** Joins a channel; a refusal is told. */
export function JoinButton({
  channelId,
  isAgain = false,
  ref,
}: {
  channelId: string;
  isAgain?: boolean;
  ref?: Ref<HTMLButtonElement>;
}) {
  const { isPending, act } = useMembershipAct(channelId);
  return (
    <Button ref={ref} tone="primary" isBusy={isPending} onClick={() => void act("join")}>
      {isAgain ? strings.channel.joinAgain : strings.channel.join}
    </Button>
  );
}

/** Leaves an archived channel, which then is found by its link alone. */
function LeaveButton({ channelId }: { channelId: string }) {
  const router = useRouter();
  const { isPending, act } = useMembershipAct(channelId);
  const leave = async () => {
    if (await act("leave")) router.push("/chat");
  };
  return (
    <Button isBusy={isPending} onClick={() => void leave()}>
      {strings.channel.leave}
    </Button>
  );
}

function useMembershipAct(channelId: string) {
  const membership = useMembership();
  return {
    isPending: membership.isPending,
    /** Whether it was done; a refusal is told. */
    act: (act: "join" | "leave"): Promise<boolean> =>
      membership.mutateAsync({ channelId, act }).then(
        () => true,
        (error: unknown) => {
          toast.error(problemOf(error));
          return false;
        },
      ),
  };
}
