import type * as contract from "#lib/chat-client/index.ts";

export type { ConnectionState, PostsPage, Reaction } from "#lib/chat-client/index.ts";

/** A post. The root of a thread that was fetched as a whole also says whether the reader follows it. */
export type Post = contract.Post & { isFollowing?: boolean };

/** The reader's own entry of a channel. */
export type Channel = contract.ChannelEntry & {
  /** True for an entry from the device while the list that replaces it is pending. */
  isKept?: boolean;
};

/** A person. For people who were only seen writing, only the id and the name are present. */
export type User = Pick<contract.User, "id" | "username"> & Partial<contract.User>;

/**
 * The displayed parts of a channel: the reader's own entry or, for non-members, the information in its page of posts.
 */
export type ShownChannel =
  | contract.ChannelEntry
  | Pick<contract.ChannelEntry, "id" | "name" | "displayName" | "type" | "header" | "purpose" | "directUser">;

/**
 * Returns whether Mattermost itself wrote a post. Posts of all other types come from a person or a program.
 */
export const isSystemPost = ({ type }: Pick<contract.Post, "type">): boolean => type.startsWith("system_");

/**
 * Returns the kind of program that wrote a post, with the name that it gave itself there, or null if no
 * program wrote the post. The name is not verified, so the account must be shown too.
 */
export function programOf({ props }: contract.Post): { kind: "webhook" | "bot"; name: string | null } | null {
  if (props?.from_webhook !== "true") return props?.from_bot === "true" ? { kind: "bot", name: null } : null;
  const { override_username: name } = props;
  return { kind: "webhook", name: typeof name === "string" && name.trim() !== "" ? name : null };
}

/** Returns whether a post describes an action of its author, as created by `/me waves`. */
export const isAct = (post: contract.Post): boolean => post.type === "me" && programOf(post) === null;

/** Returns the words of an action as Mattermost stores them, between asterisks. */
export const actOf = (words: string): string => `*${words}*`;

/** Returns the words of a post, without the asterisks around an action. */
export const wordsOf = ({ type, message }: { type?: string | undefined; message: string }): string =>
  type === "me" ? message.replace(/^\*([\s\S]*)\*$/, "$1") : message;

/** A post that was written here and is not yet confirmed by the server. */
export type OutgoingPost = {
  pendingId: string;
  channelId: string;
  rootId: string;
  message: string;
  /** Marks the post as an action of its author. */
  type?: "me" | undefined;
  /** Files uploaded to the channel beforehand. */
  files?: readonly contract.File[];
  createdAt: number;
  state: "sending" | "waiting" | "failed";
  problem?: string;
  /** Code of the refusal. */
  code?: string | undefined;
  /** The server's time (ms) of the newest post seen before the first request was sent; unset until then. */
  triedAfter?: number;
};

/** Returns the name that a person chose in addition to their account name, or "". */
export const fullNameOf = ({ nickname, firstName, lastName }: User): string =>
  nickname || [firstName, lastName].filter(Boolean).join(" ");
