const systemUser = [
  "list_public_teams",
  "join_public_teams",
  "create_direct_channel",
  "create_group_channel",
  "view_members",
  "create_team",
] as const;
const accessTokens = [
  "create_user_access_token",
  "read_user_access_token",
  "revoke_user_access_token",
] as const;
const teamUser = [
  "view_team",
  "list_team_channels",
  "read_public_channel",
  "join_public_channels",
  "create_public_channel",
  "create_private_channel",
  "invite_user",
  "add_user_to_team",
] as const;
const teamAdmin = [
  "manage_team",
  "remove_user_from_team",
  "manage_team_roles",
  "manage_channel_roles",
  "delete_others_posts",
  "convert_public_channel_to_private",
  "convert_private_channel_to_public",
] as const;
const channelUser = [
  "read_channel",
  "read_channel_content",
  "create_post",
  "edit_post",
  "delete_post",
  "add_reaction",
  "remove_reaction",
  "use_channel_mentions",
  "upload_file",
  "manage_public_channel_members",
  "manage_private_channel_members",
  "manage_public_channel_properties",
  "manage_private_channel_properties",
  "delete_public_channel",
  "delete_private_channel",
] as const;
const channelAdmin = ["manage_channel_roles"] as const;
const adminOnly = [
  "manage_system",
  "manage_roles",
  "edit_other_users",
  "edit_others_posts",
  "remove_others_reactions",
  "join_private_teams",
  "create_post_ephemeral",
  "sysconsole_write_user_management_users",
] as const;

const everyPermission = [
  ...systemUser,
  ...accessTokens,
  ...teamUser,
  ...teamAdmin,
  ...channelUser,
  ...channelAdmin,
  ...adminOnly,
];

export type Permission = (typeof everyPermission)[number];

/** Role name -> what it grants. The names are also the ones `POST /roles/names` knows. */
export const roles: ReadonlyMap<string, { displayName: string; grants: ReadonlySet<Permission> }> = new Map(
  (
    [
      ["system_user", "Member", systemUser],
      ["system_admin", "System Admin", everyPermission],
      ["system_user_access_token", "Personal Access Tokens", accessTokens],
      ["team_user", "Team Member", teamUser],
      ["team_admin", "Team Admin", teamAdmin],
      ["channel_user", "Channel Member", channelUser],
      ["channel_admin", "Channel Admin", channelAdmin],
    ] as const
  ).map(([name, displayName, grants]) => [name, { displayName, grants: new Set<Permission>(grants) }]),
);

/** Whether one of the space-separated roles grants the permission. */
export function rolesGrant(names: string, permission: Permission): boolean {
  return names.split(" ").some((name) => roles.get(name)?.grants.has(permission));
}
