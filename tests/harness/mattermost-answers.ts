/**
 * What Mattermost answers in one version otherwise than in another; all else the suite asks of every version alike.
 * 7.0, 10.9, 11.2 and 11.6 were asked: what lies between two of them is dated to the later one.
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
    /** Fields that only newer versions give. */
    hasReactionChannel: isNew,
    hasTeamLimits: isNew,
    hasChannelPolicy: isNewest,
    hasUrgentMentions: isNew,
    hasInaccessibleTime: isNew,
    hasHelloServer: isNew,
    /** Asked for many channels at once. */
    hasMemberCounts: isNew,
    hasPostFiles: isNew,
    hasUrgentThreads: isNew,
    /** Whether a channel's members can be had with those who manage it first. */
    sortsManagersFirst: isNew,
    /** Whether a member's times of looking are kept from others. */
    hidesViews: isNewest,
    pushStatus: isNew ? "online" : "away",

    unknownEmoji: isNew ? [404, "app.emoji.get_by_name.no_result"] : [200, undefined],
    badEmojiName: isNew
      ? [404, "app.emoji.get_by_name.no_result"]
      : [400, "model.reaction.is_valid.emoji_name.app_error"],
    /** Letters and digits, without a capital or a sign. */
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
    /** Whether a public channel is read by whoever is in its team. */
    readsAsGuest: isNew,
    /** Reactions of a public channel's post, also of a deleted one, to one of its team who is not in it. */
    reactionsToGuest: isLatest ? [200, undefined] : missingRight,
    followByGuest: isLatest ? [200, undefined] : missingRight,
    unreadByGuest: isLatest ? [500, "app.channel.update_last_viewed_at_post.app_error"] : missingRight,
    /** Whether a post tells the titles of the private channels that it names to those who are in them. */
    namesPrivateChannels: isLatest,
    askForDeletedPosts: isNew ? 403 : 200,
    pinFromOutside: isNew ? 200 : 403,
    /** How a user's picture is dated once it was taken away. */
    noPictureAnyMore: isNew ? /^-\d+$/ : /^undefined$/,
    /** Whether an edit tells the titles of the channels that are named now. */
    editsNamedChannels: isNew,
    /** Whether marking a thread as unread tells that it is followed. */
    tellsFollowOnUnread: isNew,
    readOfNoThread: isNew ? missingRight : [404, "app.post.get.app_error"],
    readOfNoReplies: isNew
      ? [404, "app.user.get_thread_membership_for_user.not_found"]
      : [500, "app.user.get_threads_for_user.app_error"],
    deletedPost: isNew ? { admin: 200, author: 403 } : { admin: 404, author: 404 },

    addsMembersAtOnce: isNew,
    marksManyRead: isNew,
    knowsPresence: isNew,
    /** Whether mentions are told to the mentioned alone. */
    tellsMentionsToMentioned: isNew,
    /** Whether typing and the like reach only those who look at the channel. */
    scopesEvents: isNew,
    asksForAck: isNew,
    /** Whether a socket whose session has ended gets no more posts. */
    endsWithSession: isNew,
    viewedEvent: isNew ? "multiple_channels_viewed" : "channel_viewed",
  };
}

export type Answers = ReturnType<typeof answersOf>;
