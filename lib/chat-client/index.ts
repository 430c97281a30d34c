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
  SignIn,
  ThreadsPage,
  Translation,
  Unreads,
  User,
} from "./answers.ts";
export {
  type ChatClient,
  type ChatClientOptions,
  createChatClient,
} from "./chat-client.ts";
export type { ChatEventName, ChatEvents, ConnectionState, Frame } from "./chat-events.ts";
export type { Trace, WebSocketConstructor, WebSocketLike } from "./connection.ts";
export type { NewPost } from "./new-post.ts";
export type { PageOptions } from "./pages.ts";
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
export { createSignIns, type SignIns } from "./sign-ins.ts";
