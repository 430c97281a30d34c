import type { Route } from "../router.ts";
import { accessTokenRoutes } from "./access-tokens.ts";
import { categoryRoutes } from "./categories.ts";
import { channelListRoutes } from "./channel-lists.ts";
import { channelMemberRoutes } from "./channel-members.ts";
import { channelRoutes } from "./channels.ts";
import { loginRoutes } from "./login.ts";
import { pictureRoutes } from "./pictures.ts";
import { postListRoutes, postSearchRoutes } from "./post-lists.ts";
import { postRoutes } from "./posts.ts";
import { preferenceRoutes } from "./preferences.ts";
import { reactionRoutes } from "./reactions.ts";
import { statusRoutes } from "./statuses.ts";
import { configRoutes, systemRoutes } from "./system.ts";
import { teamMemberRoutes } from "./team-members.ts";
import { teamRoutes } from "./teams.ts";
import { threadRoutes } from "./threads.ts";
import { unreadRoutes } from "./unreads.ts";
import { userChangeRoutes } from "./user-changes.ts";
import { userRoutes } from "./users.ts";

export const allRoutes: readonly Route[] = [
  ...userRoutes,
  ...userChangeRoutes,
  ...loginRoutes,
  ...accessTokenRoutes,
  ...statusRoutes,
  ...pictureRoutes,
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
