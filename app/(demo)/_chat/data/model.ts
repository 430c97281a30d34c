import type * as contract from "../../../../lib/chat-client/index.ts";

export type {
  ChannelEntry as Channel,
  ConnectionState,
  Post,
  PostsPage,
  Reaction,
} from "../../../../lib/chat-client/index.ts";

/** A person; of somebody who was only seen to write no more than the name is known. */
export type User = Pick<contract.User, "id" | "username"> & Partial<contract.User>;

/** What is shown of a channel: the reader's own entry, or, for who is no member, what its page of posts tells. */
export type ShownChannel =
  | contract.ChannelEntry
  | Pick<contract.ChannelEntry, "id" | "name" | "display_name" | "type" | "header" | "purpose">;

/** A post that was written here and not yet confirmed by the server. */
export type OutgoingPost = {
  pendingId: string;
  channelId: string;
  rootId: string;
  message: string;
  createdAt: number;
  state: "sending" | "waiting" | "failed";
  problem?: string;
  /** There once a request with it has begun: the server's time (ms) of the newest post that was known then. */
  triedAfter?: number;
};
