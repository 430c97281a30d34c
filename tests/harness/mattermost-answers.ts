/**
 * Returns how a version of Mattermost differs from others. The suite expects everything else of every
 * version. Verified with 7.0, 10.9, 11.2 and 11.6: a difference between two of these is dated to the later
 * one.
 */
export function answersOf(version: string) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isSince = (wanted: number, wantedMinor: number) =>
    major > wanted || (major === wanted && minor >= wantedMinor);
  const isNew = isSince(10, 9);
  const isNewest = isSince(11, 2);
  const isLatest = isSince(11, 6);
  const missingRight = [403, "api.context.permissions.app_error"] as const;
  return {
    /** True for fields that only newer versions have. */
    hasReactionChannel: isNew,
    hasTeamLimits: isNew,
    hasChannelPolicy: isNewest,
    hasUrgentMentions: isNew,
    hasInaccessibleTime: isNew,
    hasHelloServer: isNew,
    /** True if counts can be requested for many channels at once. */
    hasMemberCounts: isNew,
    hasPostFiles: isNew,
    hasUrgentThreads: isNew,
    /** True if a channel's members can be sorted with its managers first. */
    sortsManagersFirst: isNew,
    /** True if a member's viewing times are hidden from others. */
    hidesViews: isNewest,
    pushStatus: isNew ? "online" : "away",

    unknownEmoji: isNew ? [404, "app.emoji.get_by_name.no_result"] : [200, undefined],
    badEmojiName: isNew
      ? [404, "app.emoji.get_by_name.no_result"]
      : [400, "model.reaction.is_valid.emoji_name.app_error"],
    /** The answer to a password of letters and digits, without a capital or a symbol. */
    plainPassword: isNew ? [201, undefined] : [400, "api.user.check_user_password.invalid.app_error"],
    takenTeamName: [
      400,
      isNew ? "store.sql_team.save_team.existing.app_error" : "app.team.save.existing.app_error",
    ],
    deletionOfNoPost: isNew ? [404, "app.post.get.app_error"] : missingRight,
    postsOfNoChannel: isNew ? [404, "app.channel.get.existing.app_error"] : missingRight,
    viewOfNoChannel: isNew ? [200, undefined] : [400, "app.channel.update_last_viewed_at.app_error"],
    tooLongPost: [
      400,
      isNew ? "model.post.is_valid.message_length.app_error" : "model.post.is_valid.msg.app_error",
    ],
    channelOfNoTeam: isNew ? 400 : 403,
    directToSelf: isNew ? 201 : 400,
    tooManyPreferences: isNew ? 400 : 200,
    /** True if team members can read a public channel. */
    readsAsGuest: isNew,
    followByGuest: isLatest ? [200, undefined] : missingRight,
    unreadByGuest: isLatest ? [500, "app.channel.update_last_viewed_at_post.app_error"] : missingRight,
    /** True if a post resolves the titles of the private channels it names for their members. */
    namesPrivateChannels: isLatest,
    askForDeletedPosts: isNew ? 403 : 200,
    pinFromOutside: isNew ? 200 : 403,
    /** The date of a user's picture after it was removed. */
    noPictureAnyMore: isNew ? /^-\d+$/ : /^undefined$/,
    /** True if an edit resolves the titles of the channels that it names. */
    editsNamedChannels: isNew,
    /** True if marking a thread as unread reports that it is followed. */
    tellsFollowOnUnread: isNew,
    readOfNoThread: isNew ? missingRight : [404, "app.post.get.app_error"],
    readOfNoReplies: isNew
      ? [404, "app.user.get_thread_membership_for_user.not_found"]
      : [500, "app.user.get_threads_for_user.app_error"],
    deletedPost: isNew ? { admin: 200, author: 403 } : { admin: 404, author: 404 },

    addsMembersAtOnce: isNew,
    knowsPresence: isNew,
    /** True if only the mentioned user learns of a mention. */
    tellsMentionsToMentioned: isNew,
    /** True if typing and similar events reach only clients that show the channel. */
    scopesEvents: isNew,
    asksForAck: isNew,
    /** True if a socket whose session has ended gets no more posts. */
    endsWithSession: isNew,
    viewedEvent: isNew ? "multiple_channels_viewed" : "channel_viewed",
  };
}

export type Answers = ReturnType<typeof answersOf>;
