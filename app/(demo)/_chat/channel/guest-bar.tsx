"use client";

import { useEffect, useRef } from "react";
import { Button } from "../../_ui/button.tsx";
import { useChat, usePanel } from "../chat-context.ts";
import { isTyping } from "../composer/focus-composer.ts";
import { heldField } from "../composer/held-text.ts";
import { channelName } from "../data/channels.ts";
import { isSystemPost, type Post, type ShownChannel } from "../data/model.ts";
import { agoOf } from "../data/times.ts";
import { useUsers } from "../data/use-channels.ts";
import { MessageText } from "../message/message-text.tsx";
import { Faces } from "../people/faces.tsx";
import { JoinButton } from "../people/standing-bar.tsx";
import { strings } from "../strings.en.ts";

const MOST_FACES = 5;

/**
 * Replaces the composer when a non-member views a public channel: shows the channel's purpose, the people who
 * talk there, and a way to join or go on.
 */
export function GuestBar({
  shown,
  memberCount,
  posts,
  isAtEnd,
}: {
  shown: ShownChannel;
  memberCount: number | undefined;
  /** Loaded posts, oldest first. */
  posts: readonly Post[];
  /** True if the last loaded post is the newest of the channel. */
  isAtEnd: boolean;
}) {
  const { me } = useChat();
  const { open } = usePanel();
  const users = useUsers();
  const joining = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The closing finder returns the focus to the button that opened it, which is not where the reader looks.
    const focused = document.activeElement;
    const held = heldField();
    const isWriting = isTyping(focused) && !(focused === held && held?.value === "");
    if (document.querySelector("[role=dialog]") === null && !isWriting)
      joining.current?.focus({ preventScroll: true });
  }, []);
  const said = posts.filter((post) => !isSystemPost(post) && post.deleteAt === 0).reverse();
  const authors = [...new Set(said.map(({ userId }) => userId))].flatMap((id) => users[id] ?? []);
  const faces = authors.slice(0, MOST_FACES);
  const lastAt = said[0]?.createAt;
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
                  <MessageText text={line} myName={me.username} isLine />
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
