export type { NewPost } from "../contract/requests.ts";
export type {
  Bootstrap,
  ChannelEntry,
  File,
  FollowedThread,
  FoundChannel,
  FoundPosts,
  HostedPicture,
  Me,
  Member,
  PinnedPosts,
  Post,
  PostsPage,
  Preview,
  PublicChannel,
  Reaction,
  ThreadsPage,
  Translation,
  Unreads,
  User,
} from "./answers.ts";
export {
  type ChatClient,
  type ChatClientOptions,
  createChatClient,
  type PageOptions,
} from "./chat-client.ts";
export type { ChatEventName, ChatEvents, ConnectionState, Frame } from "./chat-events.ts";
export type { Trace, WebSocketConstructor, WebSocketLike } from "./connection.ts";
export type { Call, CallOptions, Carrier, Fetch } from "./request.ts";
export { ChatError, type ChatErrorCode } from "./request.ts";
export type { Auth } from "./session.ts";
export {
  type ChatSession,
  createChatSession,
  type Login,
  type SessionOptions,
  type Signer,
  type SignInOptions,
} from "./session.ts";
export { createSignIns, type SignIn, type SignIns } from "./sign-ins.ts";
