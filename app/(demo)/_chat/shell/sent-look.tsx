import { clsx } from "clsx";
import type { ReactNode } from "react";
import { camelCased } from "#lib/chat-client/camel-cased.ts";
import type * as wire from "#lib/contract/answers.ts";
import { askRoute } from "#lib/services/ask-route.ts";
import { GET } from "../../../api/chat/channels/[channelId]/posts/route.ts";
import { SENT_ANSWER } from "../../_session/early-answers.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { summarizeAttendance } from "../data/attendance.ts";
import { channelNews } from "../data/channel-news.ts";
import { isSystemPost, type Post, type PostsPage, programOf, wordsOf } from "../data/model.ts";
import { latestPath } from "../data/opening-paths.ts";
import { groupReactions } from "../data/reaction-groups.ts";
import { awaitsEmojiTable, emojify, emojiOf, isEmojiOnly } from "../emoji/emojify.ts";
import { type Node, textOf } from "../message/formatted-node.ts";
import { FIGURE, type Parts, plainParts, show } from "../message/formatted-parts.tsx";
import { Mention } from "../message/mention.tsx";
import { SENT_TREES, writeTrees } from "../message/sent-trees.ts";
import { shorten } from "../message/shorten.ts";
import { shownTextsOf } from "../message/shown-texts.ts";
import { treesInTime } from "../message/trees-in-time.ts";
import { strings } from "../strings.en.ts";
import { firstNewOf, foldAttendance, rowsOf, type TimelineRow } from "../timeline/rows.ts";
import { SentLookFrame } from "./sent-look-frame.tsx";

/** Time after which the page is sent without messages; its scripts request them again. */
const DEADLINE_MS = 2_000;
/**
 * Time (ms) after a timeout during which pages do not wait: only a few render at once, and a page that waits
 * delays others.
 */
const REST_MS = 10_000;
/**
 * Maximum length of an answer as JSON. The page requests a longer one itself, and then receives only the look
 * of its end.
 */
const MOST_CHARACTERS = 100_000;
/** Maximum length of the displayed forms as JSON. The page parses further texts itself. */
const MOST_OF_TREES = 60_000;
/** Time after which no further text is parsed; those are sent plain. */
const MOST_PARSING_MS = 100;
/** Number of rows that fits on no screen. */
const MOST_ROWS = 30;
/** With fewer new rows than this, which do not fill a screen, the list opens at its end. */
const FEW_ROWS = 8;

/**
 * The latest messages of a channel, sent with the page: their look, so that they can be read before the
 * scripts have loaded, the answer itself, so that the scripts need not request it, and the displayed forms of
 * its texts, so that the scripts need no parser.
 */
export async function SentLook({ channelId }: { channelId: string }) {
  const text = await readLatest(channelId);
  if (text === null) return null;
  const page = camelCased<wire.PostsPage>(JSON.parse(text));
  const trees = treesInTime(textsOf(page), MOST_PARSING_MS);
  const sent = [...trees].filter(([text]) => !awaitsEmojiTable(text));
  return (
    <>
      {text.length <= MOST_CHARACTERS && (
        <>
          <SentData id={SENT_ANSWER} json={text} />
          <SentData id={SENT_TREES} json={writeTrees(sent, MOST_OF_TREES)} data-channel={channelId} />
        </>
      )}
      <SentLookFrame channelId={channelId}>
        <Look page={page} trees={trees} />
      </SentLookFrame>
    </>
  );
}

function SentData({ json, ...names }: { json: string; id: string; "data-channel"?: string }) {
  return (
    <script
      {...names}
      type="application/json"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON in which nothing ends the element
      dangerouslySetInnerHTML={{ __html: json.replaceAll("<", "\\u003c") }}
    />
  );
}

type Trees = ReadonlyMap<string, Node>;

/** Lists the texts of a page: the channel's own, then those of its posts, newest first. */
function textsOf({ channel, posts }: PostsPage): ReadonlySet<string> {
  const about = [channel.header, channel.purpose].flatMap((text) => [text, shorten(text)]);
  return new Set([...about, ...posts.toReversed().flatMap(shownTextsOf)]);
}

let waitsFromMs = 0;

/** Reads the gateway's answer as text, or null if it refuses or is late. */
async function readLatest(channelId: string): Promise<string | null> {
  if (performance.now() < waitsFromMs) return null;
  try {
    const asked = { params: { channelId }, deadlineMs: DEADLINE_MS };
    const response = await askRoute(GET, latestPath(channelId), asked);
    return response.ok ? await response.text() : null;
  } catch {
    waitsFromMs = performance.now() + REST_MS;
    return null;
  }
}

/**
 * The rows of a page as the list will show them when it opens: from the first new one if there is one,
 * otherwise at the end.
 */
function Look({ page: { posts, users, member, hasMore }, trees }: { page: PostsPage; trees: Trees }) {
  const { userId: myId = "" } = (member ?? {}) as { userId?: string };
  const told = posts.filter(({ rootId }) => rootId === "");
  const reader = { myId, lastViewedAt: member?.lastViewedAt ?? null, isStart: !hasMore };
  const rows = foldAttendance(rowsOf(told, [], reader)).slice(-MOST_ROWS);
  const firstNew = firstNewOf(rows);
  const from = firstNew ? rows.indexOf(firstNew) : rows.length;
  const opensAtEnd = rows.length - from < FEW_ROWS;
  const shown = opensAtEnd ? rows : rows.slice(from);
  const nameOf = (id: string) => users[id]?.username ?? strings.sidebar.unknownPerson;
  return (
    <div className={clsx("flex grow flex-col pb-3", opensAtEnd && "justify-end")}>
      {shown.map((row) => (
        <RowLook key={row.key} row={row} nameOf={nameOf} myName={users[myId]?.username ?? ""} trees={trees} />
      ))}
    </div>
  );
}

type RowProps = { nameOf: (id: string) => string; myName: string; trees: Trees };

function RowLook({ row, nameOf, myName, trees }: RowProps & { row: TimelineRow }) {
  if (row.kind === "pending") return null;
  if (row.kind === "fold")
    return (
      <SystemLook>
        {summarizeAttendance(row.posts)
          .map(({ act, names }) => strings.attendance[act](strings.list(names), names.length))
          .join(" ")}
      </SystemLook>
    );
  const { post, isGrouped } = row;
  if (isSystemPost(post)) return post.deleteAt > 0 ? null : <SystemLook>{newsOf(post)}</SystemLook>;
  return (
    <div
      className={clsx(
        "column flex shrink-0 gap-3 [overflow-wrap:anywhere]",
        isGrouped ? "py-0.5" : "pt-2.5 pb-0.5",
      )}
    >
      <div className="w-9 shrink-0">
        {!isGrouped && <Avatar name={nameOf(post.userId)} className="mt-0.5" />}
      </div>
      <div className="min-w-0 grow">
        {!isGrouped && (
          <p className="truncate font-semibold">{programOf(post)?.name ?? nameOf(post.userId)}</p>
        )}
        <Text post={post} myName={myName} trees={trees} />
        <Reactions post={post} />
        {(post.replyCount ?? 0) > 0 && (
          <p className="mt-1 mb-0.5 w-fit rounded-full border border-line bg-surface px-3 py-1 text-sm font-medium pointer-coarse:py-2.75">
            {strings.message.replies(post.replyCount ?? 0)}
          </p>
        )}
      </div>
    </div>
  );
}

const newsOf = (post: Post) => emojify(channelNews(post) ?? post.message);

function SystemLook({ children }: { children: ReactNode }) {
  return (
    <div className="column shrink-0 py-1.5 text-xs text-ink-soft [overflow-wrap:anywhere]">
      <div className="ps-12">{children}</div>
    </div>
  );
}

function Text({ post, myName, trees }: { post: Post; myName: string; trees: Trees }) {
  if (post.deleteAt > 0) return <p className="text-md text-ink-soft italic">{strings.message.deleted}</p>;
  const text = shorten(wordsOf(post));
  return (
    <div
      dir="auto"
      className={clsx(
        "overflow-clip",
        isEmojiOnly(text) ? "text-xl" : "text-md",
        post.type === "me" && "italic",
      )}
    >
      <Words text={text} tree={trees.get(text)} myName={myName} />
      {post.editAt > 0 && (
        <span className="text-xs leading-6 text-ink-faint"> ({strings.message.edited})</span>
      )}
    </div>
  );
}

/** A formatted text; plain if there is nothing to format or formatting fails. */
function Words({ text, tree, myName }: { text: string; tree: Node | undefined; myName: string }) {
  if (!tree) return <span className="whitespace-pre-wrap">{emojify(text)}</span>;
  return <>{show(tree, partsFor(myName))}</>;
}

/** Returns renderers that make a message's buttons and links look as usual but do nothing. */
const partsFor = (myName: string): Parts => ({
  ...plainParts,
  a: ({ children }) => <span className="text-link underline underline-offset-2">{children}</span>,
  img: ({ alt }) => <span className="text-link underline underline-offset-2">{alt}</span>,
  pre: ({ node }) => (
    <pre className="my-1.5 overflow-hidden rounded-lg border border-line bg-sunken p-3 font-mono text-sm">
      {textOf(node)}
    </pre>
  ),
  span: ({ className, children }) =>
    className === "mention" ? (
      <Mention text={String(children)} myName={myName} />
    ) : (
      <span className={className === "figure" ? FIGURE : undefined}>{children}</span>
    ),
});

function Reactions({ post }: { post: Post }) {
  const groups = groupReactions(post);
  if (groups.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-1.5 pt-1 pb-0.5">
      {groups.map(({ emoji, userIds }) => (
        <span
          key={emoji}
          className="inline-flex h-7 items-center gap-1.5 rounded-full border border-line bg-surface px-2 text-sm text-ink-soft pointer-coarse:h-11 pointer-coarse:px-3"
        >
          <span>{emojiOf(emoji) ?? `:${emoji}:`}</span>
          <span className="text-xs font-medium tabular-nums">{userIds.length}</span>
        </span>
      ))}
    </div>
  );
}
