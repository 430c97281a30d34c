"use client";

import { clsx } from "clsx";
import { Command } from "cmdk";
import { ChevronDown, Hash, Lock, MessageSquarePlus, Search, Users } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { PublicChannel } from "#lib/chat-client/index.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { Dialog } from "../../_ui/dialog.tsx";
import { strings as ui } from "../../_ui/strings.en.ts";
import { type Early, FINDER_LENGTH, useChat } from "../chat-context.ts";
import { tildeName } from "../data/channels.ts";
import type { Channel, User } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { agoOf } from "../data/times.ts";
import { emojify } from "../emoji/emojify.ts";
import { useOpen } from "../people/profile-card.tsx";
import { strings } from "../strings.en.ts";
import { useFinder } from "./use-search.ts";

const icons = { O: Hash, P: Lock, G: Users };

function iconOf({ type, directUser }: Pick<Channel, "type"> & { directUser?: User | null }): ReactNode {
  if (type === "D")
    return (
      <Avatar
        size="small"
        name={directUser?.username ?? "?"}
        imageUrl={directUser ? pictureOf(directUser) : undefined}
      />
    );
  const Icon = icons[type];
  return <Icon aria-hidden size={17} />;
}

/** Returns facts that show whether a channel is active. */
const factsOf = ({ memberCount, lastPostAt }: PublicChannel): string =>
  strings.finder.facts(memberCount, lastPostAt > 0 ? agoOf(lastPostAt) : null);

function FinderGroup({ heading, children }: { heading: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-faint"
    >
      {children}
    </Command.Group>
  );
}

/** Moves the cursor behind the text that was typed earlier. */
const toEnd = (field: HTMLInputElement | null) => field?.setSelectionRange(FINDER_LENGTH, FINDER_LENGTH);

/** Finds a conversation, a channel to view or a person by a few letters, and opens it. */
export function Finder({ early, onClose }: { early: Early; onClose: () => void }) {
  const { me } = useChat();
  const [text, setText] = useState(early.text);
  // Part of the text may have been typed since loading began.
  useLayoutEffect(() => setText(early.text), [early]);
  const { conversations, joinable, hasMore, more, people, newName, isSearching, isFailed } = useFinder(
    text,
    me.id,
  );
  const open = useOpen(onClose);
  const count = conversations.length + joinable.length + people.length + (newName ? 1 : 0);
  const palette = useRef<HTMLDivElement>(null);
  useFirstOption(palette, `${text} ${isSearching}`);
  const problem = open.problem ?? (isFailed ? strings.search.failed : undefined);
  const isDisabled = open.isBusy;

  return (
    <Dialog isOpen onOpenChange={onClose} title={strings.finder.title} returnFocus={early.before}>
      <Command ref={palette} label={strings.finder.title} shouldFilter={false} loop>
        <div className="flex items-center gap-2.5 rounded-lg border border-line-strong bg-raised px-3 focus-within:outline-2 focus-within:outline-ring">
          <Search aria-hidden size={17} className="shrink-0 text-ink-faint" />
          <Command.Input
            ref={toEnd}
            // The dialog would focus the field a moment later, and a letter could be lost.
            autoFocus={early.takesFocus}
            value={text}
            onValueChange={(value) => {
              setText(value);
              open.forgetProblem();
            }}
            placeholder={strings.finder.placeholder}
            maxLength={FINDER_LENGTH}
            autoCapitalize="none"
            className="h-11 w-full bg-transparent text-base outline-none"
          />
        </div>
        {problem && (
          <p role="alert" className="mt-3 rounded-lg bg-danger-wash px-3 py-2 text-sm">
            {problem}
          </p>
        )}
        <div className="relative pb-5">
          <Command.List
            label={strings.finder.title}
            className="-mx-2 mt-1 h-[min(22rem,50dvh)] overflow-y-auto px-2"
          >
            <FinderGroup heading={strings.finder.yours}>
              {conversations.map(({ channel, name }) => (
                <FinderRow
                  key={channel.id}
                  id={channel.id}
                  icon={iconOf(channel)}
                  isDisabled={isDisabled}
                  about={[tildeName(channel) ?? ""]}
                  hint={channel.messageCount > 0 ? strings.sidebar.unread(channel.messageCount) : undefined}
                  onChoose={() => open.openChannel(channel.id)}
                >
                  {name}
                </FinderRow>
              ))}
            </FinderGroup>
            <FinderGroup heading={strings.finder.others}>
              {[
                ...joinable.map((channel) => (
                  <FinderRow
                    key={channel.id}
                    id={channel.id}
                    icon={iconOf(channel)}
                    isDisabled={isDisabled}
                    about={[`${tildeName(channel)} · ${factsOf(channel)}`, channel.purpose || channel.header]}
                    onChoose={() => open.openChannel(channel.id)}
                  >
                    {channel.displayName}
                  </FinderRow>
                )),
                ...(hasMore
                  ? [
                      <FinderRow
                        key="more"
                        id="more"
                        icon={<ChevronDown aria-hidden size={17} />}
                        isDisabled={isDisabled || isSearching}
                        onChoose={more}
                      >
                        {strings.finder.more}
                      </FinderRow>,
                    ]
                  : []),
              ]}
            </FinderGroup>
            {text === "" && joinable.length === 0 && !hasMore && !isSearching && !problem && (
              <p className="px-3 pt-3 text-xs text-ink-soft">{strings.finder.noOthers}</p>
            )}
            <FinderGroup heading={strings.finder.people}>
              {[
                ...people.map((user) => (
                  <FinderRow
                    key={user.id}
                    id={user.id}
                    icon={iconOf({ type: "D", directUser: user })}
                    isDisabled={isDisabled}
                    hint={[user.firstName, user.lastName].filter(Boolean).join(" ")}
                    onChoose={() => open.openDirect(user.username)}
                  >
                    @{user.username}
                  </FinderRow>
                )),
                ...(newName
                  ? [
                      <FinderRow
                        key="new"
                        id="new"
                        icon={<MessageSquarePlus aria-hidden size={17} />}
                        isDisabled={isDisabled}
                        onChoose={() => open.openDirect(newName)}
                      >
                        {strings.finder.start(newName)}
                      </FinderRow>,
                    ]
                  : []),
              ]}
            </FinderGroup>
          </Command.List>
          <p
            role="status"
            className={clsx(
              "absolute inset-x-0 text-sm text-ink-soft",
              count === 0 ? "top-8 text-center" : "bottom-0",
            )}
          >
            {isSearching || isDisabled ? `${ui.loading}…` : count === 0 && !problem && strings.finder.none}
          </p>
        </div>
      </Command>
    </Dialog>
  );
}

/** One selectable line of the finder; `id` is unique within it. */
export function FinderRow({
  id,
  icon,
  children,
  hint,
  about = [],
  isDisabled,
  onChoose,
}: {
  id: string;
  icon: ReactNode;
  children: ReactNode;
  hint?: string | undefined;
  /** Lines below the name. Empty ones are omitted. */
  about?: readonly string[];
  isDisabled: boolean;
  onChoose: () => void;
}) {
  return (
    <Command.Item
      value={id}
      disabled={isDisabled}
      onSelect={onChoose}
      className="flex min-h-10 pointer-coarse:min-h-11 cursor-pointer items-center gap-3 rounded-lg px-3 py-1.5 text-sm data-[selected=true]:bg-selected"
    >
      <span className="flex w-6 shrink-0 justify-center text-ink-faint">{icon}</span>
      <span className="min-w-0">
        <span dir="auto" className="block truncate">
          {children}
        </span>
        {about.map(
          (line) =>
            line !== "" && (
              <span
                key={line}
                dir="auto"
                className="line-clamp-5 text-xs text-ink-soft [overflow-wrap:anywhere]"
              >
                {emojify(line)}
              </span>
            ),
        )}
      </span>
      {hint && <span className="ms-auto max-w-1/2 shrink-0 truncate ps-3 text-xs text-ink-soft">{hint}</span>}
    </Command.Item>
  );
}

/**
 * Selects the first row of a palette for Enter whenever a different row comes first, including when better
 * matches are inserted above it. The palette itself would announce the former row to screen readers.
 */
export function useFirstOption(palette: RefObject<HTMLElement | null>, shown: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shown` says when
  useEffect(() => {
    palette.current?.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
  }, [palette, shown]);
}
