/** These move the channel's last post time, but are no messages to read. */
const comingsAndGoings = new Set([
  "system_join_leave",
  "system_add_remove",
  "system_join_channel",
  "system_leave_channel",
  "system_add_to_channel",
  "system_remove_from_channel",
  "system_join_team",
  "system_leave_team",
  "system_add_to_team",
  "system_remove_from_team",
]);

/** The server's own posts. */
export function isSystemType(type: string): boolean {
  return type.startsWith("system_");
}

/** Whether a post of this type counts as a message that can be unread: all do but those about comings and goings. */
export function isCountedType(type: string): boolean {
  return !comingsAndGoings.has(type);
}
