"use client";

import { clsx } from "clsx";
import Link from "next/link";
import { useMemo, useState } from "react";
import { useShopHere } from "../../_pay/shop-here.tsx";
import { useTips } from "../../_pay/tip-counts.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { holdPlace } from "../../_ui/folded.tsx";
import { loadPart } from "../../_ui/load-part.tsx";
import { useChat, useConversation } from "../chat-context.ts";
import { isAct, type Post, programOf, wordsOf } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { groupReactions } from "../data/reaction-groups.ts";
import { clockTime, exactTime } from "../data/times.ts";
import { useTranslation } from "../data/translations.ts";
import { useUser, useUsers } from "../data/use-channels.ts";
import { emojiOf, isEmojiOnly } from "../emoji/emojify.ts";
import { Files, MessageAttachments } from "../media/attachments.tsx";
import { LinkPreviews } from "../media/link-previews.tsx";
import { Person } from "../people/faces.tsx";
import { PresenceDot } from "../people/presence.tsx";
import { strings } from "../strings.en.ts";
import { useReact } from "./message-actions.tsx";
import { MessageText } from "./message-text.tsx";
import { channelsNamedIn, NamedChannels } from "./plain-text.tsx";
import { prepareText } from "./prepare-texts.ts";
import { FOLDED, shorten } from "./shorten.ts";

const PaidPostCard = loadPart(() =>
  import("../../_pay/paid-post-card.tsx").then((module) => module.PaidPostCard),
);

const Approval = loadPart(() => import("./approval-card.tsx").then((module) => module.Approval));

/** Returns whether a message may be a request for money, or an answer to one, as `approval-text.ts` writes them. */
const isAboutApproval = ({ message }: Post) => message.includes("\n```hivegate-");

type MessageBodyProps = { post: Post; myName: string; isFolded: boolean };

/** A message's text, with the card of an article that it links to and that is for sale. A long text is shortened at first. */
export function MessageBody({ post, myName, isFolded }: MessageBodyProps) {
  const [isWhole, setIsWhole] = useState(false);
  const translation = useTranslation(post);
  const said = wordsOf({ type: post.type, message: translation?.text ?? post.message });
  const isDone = isAct(post);
  const isApproval = isAboutApproval(post) && !isFolded;
  const shortened = useMemo(() => shorten(said, isFolded ? FOLDED : undefined), [said, isFolded]);
  const slug = useMemo(() => articleSlugIn(post.message, window.location.origin), [post.message]);
  const hasShop = useShopHere();
  const isLarge = useMemo(() => isEmojiOnly(post.message), [post.message]);
  if (post.deleteAt > 0) return <p className="text-md text-ink-soft italic">{strings.message.deleted}</p>;
  const text = <MessageText text={isWhole ? said : shortened} myName={myName} />;
  const more = shortened !== said && (
    <button
      type="button"
      onPointerEnter={() => void prepareText(said)}
      onFocus={() => void prepareText(said)}
      onClick={({ currentTarget }) => {
        holdPlace(currentTarget);
        setIsWhole(!isWhole);
      }}
      className="mt-1 text-sm font-medium text-link hover:underline pointer-coarse:min-h-11"
    >
      {isWhole ? strings.message.showLess : strings.message.showMore}
    </button>
  );
  return (
    <>
      <div
        dir="auto"
        hidden={post.message === "" && post.editAt === 0 && !isBare(post)}
        className={clsx(
          "isolate overflow-clip [&>p:first-child:has(+span)]:inline",
          isDone && "pt-1 [&>p:first-of-type]:inline",
          isLarge ? "text-xl" : "text-md compact:leading-5",
          post.type === "me" && "italic",
        )}
      >
        {isDone && (
          <>
            <AuthorName post={post} />{" "}
          </>
        )}
        {isBare(post) ? (
          <p className="text-ink-soft italic">{strings.message.notShowable}</p>
        ) : (
          <NamedChannels.Provider value={channelsNamedIn(post)}>
            {isApproval ? (
              <Approval post={post}>
                {text}
                {more}
              </Approval>
            ) : (
              text
            )}
          </NamedChannels.Provider>
        )}
        {post.editAt > 0 && (
          <span className="text-xs leading-6 text-ink-faint"> ({strings.message.edited})</span>
        )}
        {isDone && (
          <>
            {" "}
            <MessageTime post={post} />
          </>
        )}
      </div>
      {translation && <TranslationNote postId={post.id} shown={translation} />}
      {!isApproval && more}
      <Enclosures post={post} myName={myName} isFolded={isFolded} />
      {hasShop && slug && !isApproval && (
        <div className="mt-2 max-w-xl">
          <PaidPostCard slug={slug} />
        </div>
      )}
    </>
  );
}

const TranslationNote = loadPart(() =>
  import("./translation-note.tsx").then((module) => module.TranslationNote),
);

/** Returns whether a post has no content, only a type that another program set. */
const isBare = ({ type, message, props, fileIds }: Post): boolean =>
  type !== "" &&
  message.trim() === "" &&
  !props?.attachments &&
  !(Array.isArray(fileIds) && fileIds.length > 0);

/** A message's enclosures: files, cards from programs, and previews of its links. */
function Enclosures({ post, myName, isFolded }: MessageBodyProps) {
  const files = post.metadata?.files ?? [];
  const cards = post.props?.attachments;
  return (
    <>
      {files.length > 0 && <Files files={files} />}
      {cards !== undefined && (
        <MessageAttachments
          attachments={cards}
          renderText={(text) => <MessageText text={shorten(text)} myName={myName} />}
        />
      )}
      {!isFolded && !isAboutApproval(post) && <LinkPreviews text={post.message} />}
    </>
  );
}

const ADDRESS = /https?:\/\/[^\s<>()[\]"']+/g;

/** Returns the name of the first article of this site that a text links to, or null. */
function articleSlugIn(text: string, origin: string): string | null {
  if (!text.includes(`${origin}/articles/`)) return null;
  for (const [address] of text.matchAll(ADDRESS)) {
    const slug = address.startsWith(`${origin}/articles/`)
      ? /^[a-z0-9]+(?:-[a-z0-9]+)*/.exec(address.slice(origin.length + "/articles/".length))?.[0]
      : undefined;
    if (slug) return slug;
  }
  return null;
}

/** The author's picture, which opens their card. */
export function MessagePicture({ userId }: { userId: string }) {
  const user = useUser(userId);
  const name = user?.username ?? strings.sidebar.unknownPerson;
  return (
    <Person userId={userId}>
      <button
        type="button"
        tabIndex={-1}
        aria-label={strings.message.profileOf(name)}
        className="relative mt-0.5 flex rounded-full after:absolute after:-inset-1"
      >
        <Avatar name={name} imageUrl={user ? pictureOf(user) : undefined} />
        <PresenceDot userId={userId} />
      </button>
    </Person>
  );
}

/** The author and time of a message. */
export function MessageAuthor({ post }: { post: Post }) {
  const user = useUser(post.userId);
  const program = programOf(post);
  const isProgram = program !== null || user?.isBot === true;
  const name = user?.username ?? strings.sidebar.unknownPerson;
  const alias = program?.name ?? null;
  const account = alias ? (
    <Person userId={post.userId}>
      <button type="button" className="truncate text-xs text-ink-soft hover:underline">
        {strings.message.byAccount(name)}
      </button>
    </Person>
  ) : (
    <AuthorName post={post} />
  );
  return (
    <p className="flex min-w-0 items-baseline gap-2">
      {alias ? <span className="truncate font-semibold">{alias}</span> : account}
      {isProgram && (
        <span className="shrink-0 self-center rounded-sm bg-sunken px-1.5 text-xs leading-4 font-medium text-ink-soft">
          {strings.message.program[program?.kind ?? "bot"]}
        </span>
      )}
      {alias && account}
      <MessageTime post={post} />
    </p>
  );
}

/** The name of a message's author, which opens their card. */
function AuthorName({ post }: { post: Post }) {
  const user = useUser(post.userId);
  return (
    <Person userId={post.userId}>
      <button type="button" className="max-w-full truncate align-bottom font-semibold hover:underline">
        {user?.username ?? strings.sidebar.unknownPerson}
      </button>
    </Person>
  );
}

/** The time of a message, which links to the message. */
function MessageTime({ post }: { post: Post }) {
  const { channelId } = useConversation();
  return (
    <Link
      prefetch={false}
      href={`/chat/${channelId}?post=${post.id}`}
      title={exactTime(post.createAt)}
      className="shrink-0 text-xs text-ink-faint not-italic hover:underline"
    >
      <time dateTime={new Date(post.createAt).toISOString()}>{clockTime(post.createAt)}</time>
    </Link>
  );
}

const TipChip = loadPart(() => import("../../_pay/tip-chip.tsx").then((module) => module.TipChip));

/** The reactions to a message, each a button that adds or removes the user's own, and its tips. */
export function ReactionChips({ post }: { post: Post }) {
  const tips = useTips(post.id);
  return (
    <div className="flex flex-wrap gap-1.5 pt-1 pb-0.5 empty:hidden">
      {post.metadata?.reactions?.length ? <Chips post={post} /> : null}
      {tips && <TipChip tips={tips} />}
    </div>
  );
}

function Chips({ post }: { post: Post }) {
  const { me } = useChat();
  const { isMember } = useConversation();
  const users = useUsers();
  const react = useReact(post);
  const nameOf = (id: string) => users[id]?.username ?? strings.sidebar.unknownPerson;
  return groupReactions(post).map(({ emoji, userIds }) => {
    const isOwn = userIds.includes(me.id);
    return (
      <button
        key={emoji}
        type="button"
        aria-pressed={isOwn}
        aria-label={strings.message.toggle(emoji, userIds.length)}
        title={strings.message.reactedBy(userIds.map(nameOf).join(", "), emoji)}
        disabled={!isMember}
        onClick={() => react(emoji)}
        className={clsx(
          "inline-flex h-7 max-w-full items-center gap-1.5 rounded-full border px-2 text-sm pointer-coarse:h-11 pointer-coarse:px-3",
          isOwn
            ? "border-line-strong bg-selected text-ink"
            : "border-line bg-surface text-ink-soft hover:border-line-strong",
        )}
      >
        <span className="truncate">{emojiOf(emoji) ?? `:${emoji}:`}</span>
        <span className="text-xs font-medium tabular-nums">{userIds.length}</span>
      </button>
    );
  });
}
