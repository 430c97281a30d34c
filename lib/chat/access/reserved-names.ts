import { CodedError } from "../../errors.ts";

/** What mentions everybody, what the backend takes for no user's name, and the bots that it makes when it needs them. */
const reserved: readonly string[] = [
  "all",
  "channel",
  "here",
  "matterbot",
  "mattermost-advisor",
  "system",
  "system-bot",
];

/** @throws CodedError `name_reserved` for an account whose name can be no chat user's */
export function refuseReservedName(account: string): void {
  if (reserved.includes(account)) throw new CodedError("name_reserved");
}
