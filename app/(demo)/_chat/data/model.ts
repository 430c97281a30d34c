import type * as contract from "#lib/chat-client/index.ts";

export type {
  ConnectionState,
  Post,
  PostsPage,
  Reaction,
} from "#lib/chat-client/index.ts";

/** The reader's own entry of a channel. */
export type Channel = contract.ChannelEntry & {
  /** It was kept on the device, and the list that replaces it is still to come. */
  isKept?: boolean;
};

/** A person; of somebody who was only seen to write no more than the name is known. */
export type User = Pick<contract.User, "id" | "username"> & Partial<contract.User>;

/** What is shown of a channel: the reader's own entry, or, for whoever is no member, what its page of posts tells. */
export type ShownChannel =
  | contract.ChannelEntry
  | Pick<
      contract.ChannelEntry,
      "id" | "name" | "display_name" | "type" | "header" | "purpose" | "directUser"
    >;

/** Whether a post is Mattermost's own word; every other type is something that somebody, or a program, says. */
export const isSystemPost = ({ type }: Pick<contract.Post, "type">): boolean => type.startsWith("system_");

/**
 * That a program wrote a post, and the name that it gave itself there, if any: nobody checks that name, so the account
 * behind it is to be shown as well.
 */
export function programOf({ props }: contract.Post): { kind: "webhook" | "bot"; name: string | null } | null {
  if (props?.from_webhook !== "true") return props?.from_bot === "true" ? { kind: "bot", name: null } : null;
  const { override_username: name } = props;
  return { kind: "webhook", name: typeof name === "string" && name.trim() !== "" ? name : null };
}

/** Whether a post tells what its author does, as `/me waves` makes it. */
export const isAct = (post: contract.Post): boolean => post.type === "me" && programOf(post) === null;

/** The words of an act as Mattermost keeps them, between asterisks. */
export const actOf = (words: string): string => `*${words}*`;

/** What a post says; of an act without the asterisks around it. */
export const wordsOf = ({ type, message }: { type?: string | undefined; message: string }): string =>
  type === "me" ? message.replace(/^\*([\s\S]*)\*$/, "$1") : message;

/** A post that was written here and not yet confirmed by the server. */
export type OutgoingPost = {
  pendingId: string;
  channelId: string;
  rootId: string;
  message: string;
  /** It tells what its author does. */
  type?: "me" | undefined;
  /** Sent to the channel before. */
  files?: readonly contract.File[];
  createdAt: number;
  state: "sending" | "waiting" | "failed";
  problem?: string;
  /** The refusal's code. */
  code?: string | undefined;
  /** There once a request with it has begun: the server's time (ms) of the newest post that was known then. */
  triedAfter?: number;
};

/** What somebody calls themselves besides their account's name; empty where they say nothing. */
export const fullNameOf = ({ nickname, first_name, last_name }: User): string =>
  nickname || [first_name, last_name].filter(Boolean).join(" ");
