import type { Route } from "../router.ts";
import { categoryRoutes } from "./categories.ts";
import { channelListRoutes } from "./channel-lists.ts";
import { channelMemberRoutes, unreadRoutes } from "./channel-members.ts";
import { channelRoutes } from "./channels.ts";
import { fileRoutes } from "./files.ts";
import { pictureRoutes } from "./pictures.ts";
import { postListRoutes, postSearchRoutes } from "./post-lists.ts";
import { postRoutes } from "./posts.ts";
import { preferenceRoutes } from "./preferences.ts";
import { reactionRoutes } from "./reactions.ts";
import { accessTokenRoutes, loginRoutes } from "./sign-in.ts";
import { configRoutes, systemRoutes } from "./system.ts";
import { teamMemberRoutes, teamRoutes } from "./teams.ts";
import { threadRoutes } from "./threads.ts";
import { statusRoutes, userChangeRoutes } from "./user-changes.ts";
import { userRoutes } from "./users.ts";

export const allRoutes: readonly Route[] = [
  ...userRoutes,
  ...userChangeRoutes,
  ...loginRoutes,
  ...accessTokenRoutes,
  ...statusRoutes,
  ...pictureRoutes,
  ...fileRoutes,
  ...teamRoutes,
  ...teamMemberRoutes,
  ...channelRoutes,
  ...channelListRoutes,
  ...channelMemberRoutes,
  ...unreadRoutes,
  ...categoryRoutes,
  ...postRoutes,
  ...postListRoutes,
  ...postSearchRoutes,
  ...reactionRoutes,
  ...preferenceRoutes,
  ...threadRoutes,
  ...systemRoutes,
  ...configRoutes,
];
