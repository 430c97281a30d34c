// Written by `npm run routes`; a test compares it with the folder.
import type { RouteTable } from "../../lib/http/route-table.ts";
import * as wellKnownDidJson from "../.well-known/did.json/route.ts";
import * as wellKnownJwksJson from "../.well-known/jwks.json/route.ts";
import * as wellKnownX402 from "../.well-known/x402/route.ts";
import * as apiAuthChallenge from "./auth/challenge/route.ts";
import * as apiAuthHivesigner from "./auth/hivesigner/route.ts";
import * as apiAuthLogin from "./auth/login/route.ts";
import * as apiAuthLogout from "./auth/logout/route.ts";
import * as apiAuthRefresh from "./auth/refresh/route.ts";
import * as apiAuthSession from "./auth/session/route.ts";
import * as apiAuthWalletIdCode from "./auth/wallet/[id]/code/route.ts";
import * as apiAuthWalletIdEnd from "./auth/wallet/[id]/end/route.ts";
import * as apiAuthWalletId from "./auth/wallet/[id]/route.ts";
import * as apiAuthWalletIdSession from "./auth/wallet/[id]/session/route.ts";
import * as apiChatBootstrap from "./chat/bootstrap/route.ts";
import * as apiChatChannelsChannelIdFavorite from "./chat/channels/[channelId]/favorite/route.ts";
import * as apiChatChannelsChannelIdFiles from "./chat/channels/[channelId]/files/route.ts";
import * as apiChatChannelsChannelIdJoin from "./chat/channels/[channelId]/join/route.ts";
import * as apiChatChannelsChannelIdLeave from "./chat/channels/[channelId]/leave/route.ts";
import * as apiChatChannelsChannelIdMembers from "./chat/channels/[channelId]/members/route.ts";
import * as apiChatChannelsChannelIdMute from "./chat/channels/[channelId]/mute/route.ts";
import * as apiChatChannelsChannelIdPictures from "./chat/channels/[channelId]/pictures/route.ts";
import * as apiChatChannelsChannelIdPinned from "./chat/channels/[channelId]/pinned/route.ts";
import * as apiChatChannelsChannelIdPostsPostIdPin from "./chat/channels/[channelId]/posts/[postId]/pin/route.ts";
import * as apiChatChannelsChannelIdPostsPostIdReactions from "./chat/channels/[channelId]/posts/[postId]/reactions/route.ts";
import * as apiChatChannelsChannelIdPostsPostId from "./chat/channels/[channelId]/posts/[postId]/route.ts";
import * as apiChatChannelsChannelIdPostsPostIdTranslation from "./chat/channels/[channelId]/posts/[postId]/translation/route.ts";
import * as apiChatChannelsChannelIdPostsPostIdUnread from "./chat/channels/[channelId]/posts/[postId]/unread/route.ts";
import * as apiChatChannelsChannelIdPosts from "./chat/channels/[channelId]/posts/route.ts";
import * as apiChatChannelsChannelIdView from "./chat/channels/[channelId]/view/route.ts";
import * as apiChatChannelsPublic from "./chat/channels/public/route.ts";
import * as apiChatChannels from "./chat/channels/route.ts";
import * as apiChatChannelsSearch from "./chat/channels/search/route.ts";
import * as apiChatChannelsUnreads from "./chat/channels/unreads/route.ts";
import * as apiChatDirect from "./chat/direct/route.ts";
import * as apiChatFilesFileId from "./chat/files/[fileId]/route.ts";
import * as apiChatLogout from "./chat/logout/route.ts";
import * as apiChatMe from "./chat/me/route.ts";
import * as apiChatPictures from "./chat/pictures/route.ts";
import * as apiChatPreviews from "./chat/previews/route.ts";
import * as apiChatSearchPosts from "./chat/search/posts/route.ts";
import * as apiChatSignInsSignInId from "./chat/sign-ins/[signInId]/route.ts";
import * as apiChatSignIns from "./chat/sign-ins/route.ts";
import * as apiChatThreadsThreadIdFollow from "./chat/threads/[threadId]/follow/route.ts";
import * as apiChatThreadsThreadIdView from "./chat/threads/[threadId]/view/route.ts";
import * as apiChatThreads from "./chat/threads/route.ts";
import * as apiChatThreadsView from "./chat/threads/view/route.ts";
import * as apiChatUsersUserIdImage from "./chat/users/[userId]/image/route.ts";
import * as apiChatUsersSearch from "./chat/users/search/route.ts";
import * as apiChatWebsocket from "./chat/websocket/route.ts";
import * as apiDemoArticlesSlug from "./demo/articles/[slug]/route.ts";
import * as apiDemoArticles from "./demo/articles/route.ts";
import * as apiDemoPictures from "./demo/pictures/route.ts";
import * as apiDemoTips from "./demo/tips/route.ts";
import * as apiHealthLive from "./health/live/route.ts";
import * as apiHealthReady from "./health/ready/route.ts";
import * as apiMetrics from "./metrics/route.ts";
import * as apiOpenapiJson from "./openapi.json/route.ts";
import * as apiSandbox from "./sandbox/route.ts";
import * as apiX402DiscoveryResources from "./x402/discovery/resources/route.ts";
import * as apiX402DiscoverySearch from "./x402/discovery/search/route.ts";
import * as apiX402Health from "./x402/health/route.ts";
import * as apiX402Payments from "./x402/payments/route.ts";
import * as apiX402Settle from "./x402/settle/route.ts";
import * as apiX402Supported from "./x402/supported/route.ts";
import * as apiX402Verify from "./x402/verify/route.ts";

/** Every route file by its path, for the server that calls them without Next. */
export const routes: RouteTable = {
  "/.well-known/did.json": wellKnownDidJson,
  "/.well-known/jwks.json": wellKnownJwksJson,
  "/.well-known/x402": wellKnownX402,
  "/api/auth/challenge": apiAuthChallenge,
  "/api/auth/hivesigner": apiAuthHivesigner,
  "/api/auth/login": apiAuthLogin,
  "/api/auth/logout": apiAuthLogout,
  "/api/auth/refresh": apiAuthRefresh,
  "/api/auth/session": apiAuthSession,
  "/api/auth/wallet/[id]/code": apiAuthWalletIdCode,
  "/api/auth/wallet/[id]/end": apiAuthWalletIdEnd,
  "/api/auth/wallet/[id]": apiAuthWalletId,
  "/api/auth/wallet/[id]/session": apiAuthWalletIdSession,
  "/api/chat/bootstrap": apiChatBootstrap,
  "/api/chat/channels/[channelId]/favorite": apiChatChannelsChannelIdFavorite,
  "/api/chat/channels/[channelId]/files": apiChatChannelsChannelIdFiles,
  "/api/chat/channels/[channelId]/join": apiChatChannelsChannelIdJoin,
  "/api/chat/channels/[channelId]/leave": apiChatChannelsChannelIdLeave,
  "/api/chat/channels/[channelId]/members": apiChatChannelsChannelIdMembers,
  "/api/chat/channels/[channelId]/mute": apiChatChannelsChannelIdMute,
  "/api/chat/channels/[channelId]/pictures": apiChatChannelsChannelIdPictures,
  "/api/chat/channels/[channelId]/pinned": apiChatChannelsChannelIdPinned,
  "/api/chat/channels/[channelId]/posts/[postId]/pin": apiChatChannelsChannelIdPostsPostIdPin,
  "/api/chat/channels/[channelId]/posts/[postId]/reactions": apiChatChannelsChannelIdPostsPostIdReactions,
  "/api/chat/channels/[channelId]/posts/[postId]": apiChatChannelsChannelIdPostsPostId,
  "/api/chat/channels/[channelId]/posts/[postId]/translation": apiChatChannelsChannelIdPostsPostIdTranslation,
  "/api/chat/channels/[channelId]/posts/[postId]/unread": apiChatChannelsChannelIdPostsPostIdUnread,
  "/api/chat/channels/[channelId]/posts": apiChatChannelsChannelIdPosts,
  "/api/chat/channels/[channelId]/view": apiChatChannelsChannelIdView,
  "/api/chat/channels/public": apiChatChannelsPublic,
  "/api/chat/channels": apiChatChannels,
  "/api/chat/channels/search": apiChatChannelsSearch,
  "/api/chat/channels/unreads": apiChatChannelsUnreads,
  "/api/chat/direct": apiChatDirect,
  "/api/chat/files/[fileId]": apiChatFilesFileId,
  "/api/chat/logout": apiChatLogout,
  "/api/chat/me": apiChatMe,
  "/api/chat/pictures": apiChatPictures,
  "/api/chat/previews": apiChatPreviews,
  "/api/chat/search/posts": apiChatSearchPosts,
  "/api/chat/sign-ins/[signInId]": apiChatSignInsSignInId,
  "/api/chat/sign-ins": apiChatSignIns,
  "/api/chat/threads/[threadId]/follow": apiChatThreadsThreadIdFollow,
  "/api/chat/threads/[threadId]/view": apiChatThreadsThreadIdView,
  "/api/chat/threads": apiChatThreads,
  "/api/chat/threads/view": apiChatThreadsView,
  "/api/chat/users/[userId]/image": apiChatUsersUserIdImage,
  "/api/chat/users/search": apiChatUsersSearch,
  "/api/chat/websocket": apiChatWebsocket,
  "/api/demo/articles/[slug]": apiDemoArticlesSlug,
  "/api/demo/articles": apiDemoArticles,
  "/api/demo/pictures": apiDemoPictures,
  "/api/demo/tips": apiDemoTips,
  "/api/health/live": apiHealthLive,
  "/api/health/ready": apiHealthReady,
  "/api/metrics": apiMetrics,
  "/api/openapi.json": apiOpenapiJson,
  "/api/sandbox": apiSandbox,
  "/api/x402/discovery/resources": apiX402DiscoveryResources,
  "/api/x402/discovery/search": apiX402DiscoverySearch,
  "/api/x402/health": apiX402Health,
  "/api/x402/payments": apiX402Payments,
  "/api/x402/settle": apiX402Settle,
  "/api/x402/supported": apiX402Supported,
  "/api/x402/verify": apiX402Verify,
};
