import { Post } from "../../mattermost/posts.ts";
import { projectPost } from "../posts/post.ts";

/**
 * The part of a value that reaches the client: all of it, the result of a function, or named fields, each
 * with its own rule.
 */
type Rule = "whole" | ((value: unknown) => unknown) | Fields;
type Fields = { readonly [name: string]: Rule };

const whole = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, "whole"]));

const userFields = whole(
  ...["id", "username", "first_name", "last_name", "nickname", "is_bot"],
  ...["last_picture_update", "create_at", "update_at", "delete_at"],
);
const memberFields = whole("team_id", "user_id", "delete_at", "scheme_guest", "scheme_user", "scheme_admin");
const teamFields = whole("id", "name", "display_name", "description", "create_at", "update_at", "delete_at");
const channelFields = whole(
  ...["id", "team_id", "type", "name", "display_name", "header", "purpose"],
  ...["create_at", "update_at", "delete_at", "last_post_at", "last_root_post_at"],
  ...["total_msg_count", "total_msg_count_root"],
);
const channelMemberFields = whole(
  ...["channel_id", "user_id", "last_viewed_at", "last_update_at", "notify_props"],
  ...["msg_count", "msg_count_root", "mention_count", "mention_count_root", "urgent_mention_count"],
  ...["scheme_guest", "scheme_user", "scheme_admin"],
);
const deletedPostFields = whole(
  ...["id", "channel_id", "user_id", "root_id", "type", "create_at", "update_at", "edit_at", "delete_at"],
  ...["is_pinned", "reply_count"],
);
const threadFields: Fields = {
  ...whole("id", "reply_count", "last_reply_at", "last_viewed_at", "unread_replies", "unread_mentions"),
  ...whole("is_urgent", "is_following"),
  participants: (users) => (Array.isArray(users) ? users.map((user) => project(userFields, user)) : users),
  post: (post) => scrub(post),
};

/** Events that contain more than the client is allowed to see, with the fields of `data` that pass. */
const closedEvents: Readonly<Record<string, Fields>> = {
  hello: { connection_id: "whole", server_version: releaseOf },
  config_changed: { config: {} },
  license_changed: { license: {} },
  role_updated: { role: {} },
  user_updated: { user: userFields },
  user_role_updated: whole("user_id"),
  memberrole_updated: { member: memberFields },
  update_team: { team: teamFields },
  delete_team: { team: teamFields },
  restore_team: { team: teamFields },
  channel_updated: { channel: channelFields },
  channel_member_updated: { channelMember: channelMemberFields },
  thread_updated: {
    thread: threadFields,
    ...whole("previous_unread_mentions", "previous_unread_replies"),
  },
  custom_profile_attributes_values_updated: whole("user_id"),
  custom_profile_attributes_field_created: { field: whole("id") },
  custom_profile_attributes_field_updated: { field: whole("id") },
  custom_profile_attributes_field_deleted: whole("field_id"),
  post_deleted: { post: (post) => withTextTakenOut(project(deletedPostFields, post)) },
  ephemeral_message: { post: (post) => withoutServerAddress(scrub(post)) },
};

/**
 * Removes everything from an event's `data` that REST would not show either. Events in the table pass only
 * the fields listed there. In all others, whole users, channels and posts are projected at any depth, and
 * personal and secret fields are removed. A frame that loses nothing keeps its original bytes.
 */
export function projectFrame(event: string | undefined, frame: Buffer): Buffer {
  const fields = event !== undefined && Object.hasOwn(closedEvents, event) && closedEvents[event];
  if (!fields && !mayHoldSecrets(frame)) return frame;
  const parsed = parseJson(frame.toString());
  if (!isRecord(parsed)) return frame;
  const data = fields ? project(fields, parsed.data) : scrub(parsed.data);
  return data === parsed.data ? frame : Buffer.from(JSON.stringify({ ...parsed, data }));
}

/** Applies a rule. JSON in a string stays a string, and a value that loses nothing is returned as is. */
function project(rule: Rule, value: unknown): unknown {
  if (rule === "whole") return value;
  if (typeof rule === "function") return rule(value);
  if (typeof value === "string") {
    const inner = parseJson(value);
    return isRecord(inner) ? rewritten(value, inner, project(rule, inner)) : "";
  }
  if (!isRecord(value)) return {};
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const own = Object.hasOwn(rule, name) && rule[name];
    return own ? [[name, project(own, inner)] as const] : [];
  });
  return sameOr(value, kept);
}

/** Returns changed JSON as text: the original text if the content is unchanged. */
const rewritten = (text: string, content: unknown, changed: unknown) =>
  changed === content ? text : JSON.stringify(changed);

/** Returns a record with the given entries, or the record itself if it loses none. */
function sameOr(
  record: Record<string, unknown>,
  kept: ReadonlyArray<readonly [name: string, value: unknown]>,
): Record<string, unknown> {
  const isWhole = kept.length === Object.keys(record).length;
  return isWhole && kept.every(([name, value]) => record[name] === value) ? record : Object.fromEntries(kept);
}

const secretNames = [
  ...["[\\w-]*e[_-]?mail[\\w-]*", "[\\w-]*roles", "[\\w-]*props", "[\\w-]*token[\\w-]*", "auth(?!or)[\\w-]*"],
  ...[
    "[\\w-]*password[\\w-]*",
    "[\\w-]*secret[\\w-]*",
    "mfa[\\w-]*",
    "invite_?id",
    "session_?id",
    "device_?id",
  ],
  // Events about people.
  ...[
    "[\\w-]*time[_-]?zone[\\w-]*",
    "[\\w-]*locale",
    "[\\w-]*position",
    "[\\w-]*phone[\\w-]*",
    "birth[\\w-]*",
  ],
  ...[
    "last_?activity[\\w-]*",
    "last_?login[\\w-]*",
    "failed_?attempts",
    "allow_?marketing",
    "terms_?of_?service[\\w-]*",
  ],
  ...["ip", "ip_?address", "remote_?id"],
  // Events about channels, teams and the server.
  ...["scheme_?id", "polic(?:y|ies)[\\w-]*", "allowed_?domains", "company_?name", "[\\w-]*host_?name"],
];
const secretName = new RegExp(`^(?:${secretNames.join("|")})$`, "i");
const isPosition = (name: string) => /position$/i.test(name);

/** Fields that identify whole users and channels, which are projected. */
const nameOfWhole = /^(?:username|purpose|total_msg_count)$/;
const isUser = (value: Record<string, unknown>) =>
  typeof value.username === "string" &&
  ["first_name", "last_name", "nickname", "last_picture_update"].some((name) => name in value);
const isChannel = (value: Record<string, unknown>) =>
  "display_name" in value && ("purpose" in value || "total_msg_count" in value);

/** Prefixes of escaped letters, with which a name could be spelled. */
const escapedLetters = ["\\u004", "\\u005", "\\u006", "\\u007"];

const [COLON, QUOTE, BACKSLASH] = [0x3a, 0x22, 0x5c];
const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
/** Returns whether a byte is one of `[A-Za-z0-9_-]`. */
const isOfName = (byte = 0) =>
  (byte >= 0x61 && byte <= 0x7a) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x5f ||
  byte === 0x2d;

/** Empty values, including those in JSON as text, whose quotes follow backslashes. */
const nothing = /^\s*(?:\{\}|null\b|(\\{0,63})"\1")/;
const LONGEST_NOTHING = 130;

/**
 * Returns whether a frame contains the name of a secret, or of a whole user or channel, with a non-empty
 * value, at any depth and in JSON as text. Inspects each byte a bounded number of times, whatever people
 * write; a single regular expression would take seconds for a message of backslashes.
 */
function mayHoldSecrets(frame: Buffer): boolean {
  if (escapedLetters.some((letter) => frame.includes(letter))) return true;
  for (let colon = frame.indexOf(COLON); colon !== -1; colon = frame.indexOf(COLON, colon + 1)) {
    let end = colon;
    while (isSpace(frame[end - 1])) end -= 1;
    if (frame[end - 1] !== QUOTE) continue;
    end -= 1;
    while (frame[end - 1] === BACKSLASH) end -= 1;
    let start = end;
    while (isOfName(frame[start - 1])) start -= 1;
    const name = frame.toString("latin1", start, end);
    if (!secretName.test(name) && !nameOfWhole.test(name)) continue;
    if (!nothing.test(frame.toString("latin1", colon + 1, colon + 1 + LONGEST_NOTHING))) return true;
  }
  return false;
}

/** Maximum nesting that passes; Mattermost accepts thousands of levels from plugins, too many to search. */
const MAX_LEVELS = 100;

/** Removes secrets at any depth, including in JSON as text. Posts are projected as in REST. */
function scrub(value: unknown, levels = MAX_LEVELS): unknown {
  if (levels === 0) return null;
  if (typeof value === "string") {
    const inner = /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
    if (typeof inner !== "object" || inner === null) return value;
    return rewritten(value, inner, scrub(inner, levels - 1));
  }
  if (Array.isArray(value)) {
    const list = value.map((one) => scrub(one, levels - 1));
    return list.every((one, index) => one === value[index]) ? value : list;
  }
  if (!isRecord(value)) return value;
  if (isUser(value)) return project(userFields, value);
  if (isChannel(value)) return project(channelFields, value);
  const post = Post.safeParse(value).success ? projectPost(value as Post) : null;
  const kept = Object.entries(post ?? value).flatMap(([name, inner]) => {
    const present = value[name];
    if (post && ofProjectedPost.has(name)) return [[name, isSame(inner, present) ? present : inner] as const];
    if (isSecret(name, inner)) return [];
    // A written message stays unchanged, even if it is JSON.
    return [[name, name === "message" ? inner : scrub(inner, levels - 1)] as const];
  });
  return sameOr(value, kept);
}

/** Fields of a projected post that already match REST. */
const ofProjectedPost = new Set(["message", "props", "metadata", "participants"]);

/** Returns whether two JSON values have the same content, down to the deepest level that passes. */
function isSame(one: unknown, other: unknown, levels = MAX_LEVELS): boolean {
  if (one === other) return true;
  if (levels === 0 || typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return (
    names.length === others.length &&
    names.every((name) => isSame(Reflect.get(one, name), Reflect.get(other, name), levels - 1))
  );
}

function isSecret(name: string, value: unknown): boolean {
  const last = /[\w-]*$/.exec(name)?.[0] ?? "";
  if (!secretName.test(last)) return false;
  // A number under a name that ends in "position" is a position in a list, not a secret.
  return !isPosition(last) || typeof value !== "number";
}

function mapPost(post: unknown, change: (post: Record<string, unknown>) => Record<string, unknown>): unknown {
  if (typeof post !== "string") return isRecord(post) ? change(post) : post;
  const inner = parseJson(post);
  return isRecord(inner) ? JSON.stringify(change(inner)) : post;
}

const withTextTakenOut = (post: unknown) => mapPost(post, (known) => ({ ...known, message: "", props: {} }));

/**
 * The server's address in a link to a post, up to the team's name. It is Mattermost's own, which readers
 * cannot reach.
 */
const serverOfPermalink = /https?:\/\/[^\s/]+(?:\/[^\s/]+)*?(?=\/[\w-]+\/pl\/[a-z0-9]{26})/g;

const withoutServerAddress = (post: unknown) =>
  mapPost(post, (known) => ({
    ...known,
    message: String(known.message ?? "").replace(serverOfPermalink, ""),
  }));

/** Returns "11.6.0" from "11.6.0.11.6.0.4f5c.false", which also identifies the build. */
function releaseOf(version: unknown): string {
  return /^\d+\.\d+\.\d+/.exec(String(version))?.[0] ?? "";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
