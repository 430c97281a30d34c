import { z } from "zod";
import { type Context, readBody } from "../context.ts";
import { demandPermission } from "../permissions.ts";
import { type Route, route } from "../router.ts";

const ConfigPatch = z.object({
  ServiceSettings: z.object({ EnableUserAccessTokens: z.boolean().optional() }).optional(),
  TeamSettings: z
    .object({
      EnableOpenServer: z.boolean().optional(),
      MaxUsersPerTeam: z.number().int().positive().optional(),
    })
    .optional(),
});

/** Those of a server's settings that this one has. */
function getConfig(context: Context): unknown {
  demandPermission(context, "manage_system");
  const { enableUserAccessTokens, enableOpenServer, maxUsersPerTeam } = context.backend.settings;
  return {
    ServiceSettings: { EnableUserAccessTokens: enableUserAccessTokens },
    TeamSettings: { EnableOpenServer: enableOpenServer, MaxUsersPerTeam: maxUsersPerTeam },
  };
}

/** Changed settings hold until the server ends. */
function putPatch(context: Context): unknown {
  demandPermission(context, "manage_system");
  const { settings } = context.backend;
  const { ServiceSettings: service, TeamSettings: team } = readBody(context, ConfigPatch, "config");
  settings.enableUserAccessTokens = service?.EnableUserAccessTokens ?? settings.enableUserAccessTokens;
  settings.enableOpenServer = team?.EnableOpenServer ?? settings.enableOpenServer;
  settings.maxUsersPerTeam = team?.MaxUsersPerTeam ?? settings.maxUsersPerTeam;
  return getConfig(context);
}

export const configRoutes: Route[] = [
  route("GET", "/config", getConfig),
  route("PUT", "/config/patch", putPatch),
];
