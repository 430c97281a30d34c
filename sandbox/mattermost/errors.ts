/** Error id -> status and message. The thrower fills in `{Name}`. Clients compare ids, so these are fixed. */
const table = {
  "api.context.session_expired.app_error": [401, "Invalid or expired session, please login again."],
  "api.context.token_provided.app_error": [
    401,
    "Session is not OAuth but token was provided in the query string.",
  ],
  "api.context.permissions.app_error": [403, "You do not have the appropriate permissions."],
  "api.context.invalid_body_param.app_error": [400, "Invalid or missing {Name} in request body."],
  "api.context.invalid_param.app_error": [400, "Invalid {Name} parameter."],
  "api.context.invalid_url_param.app_error": [400, "Invalid or missing {Name} parameter in request URL."],
  "api.context.404.app_error": [404, "Sorry, we could not find the page."],
  "api.context.request_too_large.app_error": [413, "The request body is too large."],
  "api.context.internal.app_error": [500, "An internal error has occurred."],
  "api.web_socket.connect.upgrade.app_error": [400, "Failed to upgrade websocket connection."],
  "api.payload.parse.error": [400, "An error occurred while parsing the payload."],

  "api.user.create_user.no_open_server": [403, "This server does not allow open signups."],
  "api.user.create_user.signup_link_invalid.app_error": [400, "The signup link does not appear to be valid."],
  "api.user.create_user.user_limits.exceeded": [400, "The server has as many active users as it may have."],
  "api.user.login.invalid_credentials_email_username": [
    401,
    "Enter a valid email or username and/or password.",
  ],
  "api.user.login.blank_pwd.app_error": [400, "Password field must not be blank."],
  "api.user.login.inactive.app_error": [401, "Your account has been deactivated."],
  "api.user.update_active.permissions.app_error": [403, "You do not have the appropriate permissions."],
  "api.user.update_active.not_enable.app_error": [
    401,
    "You cannot deactivate yourself because this is not enabled.",
  ],
  "api.user.update_password.incorrect.app_error": [
    400,
    "The current password you have entered is incorrect.",
  ],
  "api.user.upload_profile_user.no_file.app_error": [400, "No file under 'image' in request."],
  "api.user.upload_profile_user.decode_config.app_error": [400, "The picture could not be decoded."],
  "api.user.upload_profile_user.too_large.app_error": [413, "The picture is too large."],
  "api.user.autocomplete_users.missing_team_id.app_error": [500, "A team must be named with the channel."],
  "api.user.check_user_password.invalid.app_error": [400, "The password does not meet the requirements."],
  "app.user.missing_account.const": [404, "Unable to find the user."],
  "app.user.get_by_username.app_error": [
    404,
    "Unable to find an existing account matching your username for this team.",
  ],
  "app.user.save.username_exists.app_error": [400, "An account with that username already exists."],
  "app.user.save.email_exists.app_error": [400, "An account with that email already exists."],
  "model.user.is_valid.username.app_error": [
    400,
    "Username must begin with a letter and contain between 3 to 22 characters.",
  ],
  "model.user.is_valid.email.app_error": [400, "Please enter a valid email."],
  "model.user.is_valid.nickname.app_error": [400, "Invalid nickname."],
  "model.user.is_valid.first_name.app_error": [400, "Invalid first name."],
  "model.user.is_valid.last_name.app_error": [400, "Invalid last name."],
  "model.user.is_valid.position.app_error": [
    400,
    "Invalid position: must not be longer than 128 characters.",
  ],
  "model.user.is_valid.pwd_min_length.app_error": [400, "Your password must contain at least 8 characters."],
  "model.user.is_valid.password_limit.app_error": [400, "Unable to set a password over 72 characters."],

  "app.user_access_token.disabled": [501, "Personal access tokens are disabled on this server."],
  "app.user_access_token.get_by_user.app_error": [404, "Unable to get the personal access token."],

  "api.team.is_team_creation_allowed.disabled.app_error": [
    403,
    "You do not have permission to create teams.",
  ],
  "app.team.get.find.app_error": [404, "Unable to find the existing team."],
  "app.team.get_by_name.missing.app_error": [404, "Unable to find the existing team."],
  "app.team.get_member.missing.app_error": [404, "No team member found for that user ID and team ID."],
  "app.team.join_user_to_team.max_accounts.app_error": [400, "The team has as many members as it may have."],
  "app.team.join_user_to_team.save_member.max_accounts.app_error": [
    400,
    "The team has as many members as it may have.",
  ],
  "app.team.save.existing.app_error": [400, "A team with that name already exists."],
  "store.sql_team.save_team.existing.app_error": [400, "A team with that name already exists."],
  "model.team.is_valid.characters.app_error": [
    400,
    "Name must be 2 or more lowercase alphanumeric characters.",
  ],
  "model.team.is_valid.reserved.app_error": [400, "This URL is unavailable. Please try another."],
  "model.team.is_valid.name.app_error": [400, "Invalid name."],
  "model.team.is_valid.description.app_error": [400, "Invalid description."],
  "model.team.is_valid.type.app_error": [400, "Invalid type."],

  "app.channel.get.existing.app_error": [404, "Unable to find the existing channel."],
  "app.channel.get_channels.not_found.app_error": [404, "No channels were found."],
  "app.channel.get_by_name.missing.app_error": [404, "Channel does not exist."],
  "app.channel.get_member.missing.app_error": [
    404,
    "No channel member found for that user ID and channel ID.",
  ],
  "app.channel.update_last_viewed_at_post.app_error": [500, "Unable to mark the channel as unread."],
  "app.channel.update_last_viewed_at.app_error": [400, "Unable to update the last viewed at time."],
  "store.sql_channel.save_channel.exists.app_error": [
    400,
    "A channel with that name already exists on the same team.",
  ],
  "model.channel.is_valid.1_or_more.app_error": [
    400,
    "Name must be 1 or more lowercase alphanumeric characters.",
  ],
  "model.channel.is_valid.display_name.app_error": [400, "Invalid display name."],
  "model.channel.is_valid.header.app_error": [400, "Invalid header."],
  "model.channel.is_valid.purpose.app_error": [400, "Invalid purpose."],
  "api.channel.delete_channel.cannot.app_error": [400, "Unable to delete the default channel."],
  "api.channel.delete_channel.deleted.app_error": [400, "The channel has been archived or deleted."],
  "api.channel.delete_channel.type.invalid": [400, "Unable to delete direct or group message channels."],
  "api.channel.restore_channel.restored.app_error": [
    400,
    "Unable to unarchive the channel: it is not archived.",
  ],
  "api.channel.update_channel.deleted.app_error": [400, "The channel has been archived or deleted."],
  "api.channel.update_channel_privacy.default_channel_error": [
    400,
    "The default channel cannot be made private.",
  ],
  "api.channel.patch_update_channel.forbidden.app_error": [403, "Failed to update the channel."],
  "api.channel.create_direct_channel.invalid_user.app_error": [
    400,
    "Invalid user ID for direct channel creation.",
  ],
  "api.channel.create_group.bad_size.app_error": [
    400,
    "Group message channels must contain at least 3 and no more than 8 users.",
  ],
  "api.channel.create_group.bad_user.app_error": [400, "One of the provided users does not exist."],
  "api.channel.add_user_to_channel.type.app_error": [400, "Can not add user to this channel type."],
  "api.channel.remove.default.app_error": [400, "Unable to remove user from the default channel."],
  "api.channel.remove_channel_member.type.app_error": [
    400,
    "Unable to remove a user from this channel type.",
  ],

  "app.post.get.app_error": [404, "Unable to get the post."],
  "api.post.create_post.root_id.app_error": [400, "Invalid RootId parameter."],
  "api.post.create_post.channel_root_id.app_error": [400, "Invalid ChannelId for RootId parameter."],
  "api.post.create_post.can_not_post_to_deleted.error": [400, "Can not post to deleted channel."],
  "api.post.patch_post.can_not_update_post_in_deleted.error": [
    400,
    "Can not update a post in a deleted channel.",
  ],
  "api.post.update_post.system_message.app_error": [400, "Unable to update system message."],
  "model.post.is_valid.msg.app_error": [400, "Invalid message."],
  "model.post.is_valid.message_length.app_error": [
    400,
    "Post Message property is longer than the maximum permitted length.",
  ],
  "model.post.is_valid.props.app_error": [400, "Invalid props."],
  "model.post.is_valid.type.app_error": [400, "Invalid type."],

  "model.post.is_valid.file_ids.app_error": [400, "Invalid file ids."],

  "api.file.get_file_info.app_error": [404, "Failed to get file info."],
  "app.file_info.get.app_error": [404, "Unable to get the file info."],
  "api.file.get_file_thumbnail.no_thumbnail.app_error": [400, "File doesn't have a thumbnail image."],
  "api.file.get_file_preview.no_preview.app_error": [400, "File doesn't have a preview image."],
  "api.file.upload_file.read_request.app_error": [400, "Unable to read the request's data."],
  "api.file.upload_file.too_large_detailed.app_error": [413, "The file is too large."],

  "api.reaction.save_reaction.user_id.app_error": [403, "You cannot save reaction for the other user."],
  "api.reaction.save_reaction.invalid.app_error": [400, "Reaction is not valid."],
  "model.reaction.is_valid.emoji_name.app_error": [400, "Invalid emoji name."],
  "app.reaction.save.save.too_many_reactions": [400, "Reaction limit has been reached for this post."],
  "app.emoji.get_by_name.no_result": [404, "We couldn't find the emoji."],

  "api.preference.update_preferences.set.app_error": [403, "Unable to set user preferences."],
  "api.preference.delete_preferences.delete.app_error": [403, "Unable to delete user preferences."],
  "model.preference.is_valid.name.app_error": [400, "Invalid name."],
  "model.preference.is_valid.category.app_error": [400, "Invalid category."],
  "model.preference.is_valid.value.app_error": [400, "Value is too long."],
  "model.preference.is_valid.theme.app_error": [400, "Invalid theme."],

  "app.user.get_thread_membership_for_user.not_found": [404, "Not following the thread."],
  "app.user.get_threads_for_user.app_error": [500, "Unable to get user threads."],
  "api.config.client.old_format.app_error": [
    501,
    "New format for the client configuration is not supported yet.",
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorId = keyof typeof table;

/** The error that a route throws, which becomes the answer's status and body. */
export class ApiError extends Error {
  readonly id: ErrorId;
  readonly status: number;

  constructor(id: ErrorId, name = "") {
    const [status, message] = table[id];
    super(message.replace("{Name}", name));
    this.name = "ApiError";
    this.id = id;
    this.status = status;
  }
}

/** @throws ApiError always. */
export function refuse(id: ErrorId, name?: string): never {
  throw new ApiError(id, name);
}

/** @throws ApiError `api.context.permissions.app_error` unless `isAllowed`. */
export function demand(isAllowed: boolean): void {
  if (!isAllowed) refuse("api.context.permissions.app_error");
}
