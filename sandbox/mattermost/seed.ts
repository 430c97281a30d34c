import { randomBytes } from "node:crypto";
import { sandboxCommunities } from "../accounts.ts";
import { createMattermost, type Mattermost } from "./context.ts";
import { type ChannelRow, findChannel, findChannelByName } from "./model/channels.ts";
import { saveReaction } from "./model/posts.ts";
import { readSetting, writeSetting } from "./model/preferences.ts";
import { findTeam, type TeamRow } from "./model/teams.ts";
import { findUser, findUserByEmail, findUserByUsername, type UserRow } from "./model/users.ts";
import { createAccessToken, createUser, hashPassword } from "./operations/authenticate.ts";
import { joinChannel } from "./operations/channel-membership.ts";
import { createChannel, openDirect } from "./operations/create-channel.ts";
import { storePost } from "./operations/store-post.ts";
import { createTeam, joinTeam } from "./operations/teams.ts";
import { viewChannels } from "./operations/unread.ts";
import { direct, type SeedMessage, seedMessages } from "./seed-messages.ts";

const people = ["alice", "bob", "carol", "erin"];
const addressOf = (name: string) => `${name}@sandbox.invalid`;
const MINUTE_MS = 60_000;
const STORY_MINUTES = 26 * 60;

type Told = {
  mattermost: Mattermost;
  team: TeamRow;
  admin: UserRow;
  users: Map<string, UserRow>;
  clock: { time: number };
};

function need<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the seed needs ${what}`);
  return value;
}

/** Creates a Mattermost on the same data with the story's clock and without listeners. */
function mattermostOfThePast(mattermost: Mattermost, clock: { time: number }): Mattermost {
  const advance = () => {
    clock.time += 1;
    return clock.time;
  };
  const past = { now: () => clock.time, tick: advance };
  return createMattermost({
    db: mattermost.db,
    clock: past,
    settings: mattermost.settings,
    deliver: () => {},
  });
}

function makePeople(told: Told, passwordHash: string): void {
  for (const username of people) {
    const email = addressOf(username);
    const user =
      findUserByUsername(told.mattermost.db, username) ??
      createUser(told.mattermost, { username, email, passwordHash });
    told.users.set(username, user);
    joinTeam(told.mattermost, told.team, user);
  }
}

/** Creates the channels of the subscribed communities, as the gateway would. */
function makeCommunities(told: Told): void {
  const { mattermost, team, admin } = told;
  for (const community of sandboxCommunities) {
    const subscribers = community.subscribers.filter((name) => told.users.has(name));
    if (subscribers.length === 0) continue;
    const channel =
      findChannelByName(mattermost.db, team.id, community.name) ??
      createChannel(mattermost, admin, {
        team_id: team.id,
        type: "O",
        name: community.name,
        display_name: community.title,
        header: "",
        purpose: community.about,
      });
    for (const name of subscribers) joinChannel(mattermost, channel, need(told.users.get(name), name), admin);
  }
}

function channelOf(told: Told, name: string): ChannelRow {
  const alice = need(told.users.get("alice"), "alice");
  const bob = need(told.users.get("bob"), "bob");
  if (name === direct) return openDirect(told.mattermost, alice.id, bob.id);
  return need(findChannelByName(told.mattermost.db, told.team.id, name), name);
}

function say(told: Told, message: SeedMessage, start: number, rootIds: Map<string, string>): void {
  const { mattermost, users } = told;
  told.clock.time = Math.max(told.clock.time, start + message.minute * MINUTE_MS);
  const channel = channelOf(told, message.channel);
  const author = need(users.get(message.author), message.author);
  const post = storePost(mattermost, {
    channel: findChannel(mattermost.db, channel.id) ?? channel,
    userId: author.id,
    message: message.text,
    rootId: message.replyTo ? need(rootIds.get(message.replyTo), message.replyTo) : "",
  });
  if (message.key) rootIds.set(message.key, post.id);
  for (const [name, emoji_name] of message.reactions ?? []) {
    const at = told.clock.time;
    const user_id = need(users.get(name), name).id;
    saveReaction(mattermost.db, {
      user_id,
      post_id: post.id,
      emoji_name,
      channel_id: channel.id,
      create_at: at,
      update_at: at,
    });
  }
  for (const name of message.seenBy ?? []) {
    viewChannels(mattermost, need(users.get(name), name).id, [channel.id], true);
  }
}

/** Returns the users who have existed since the first start, whatever their names are now. */
export function seededPeople(mattermost: Mattermost): Array<{ name: string; userId: string }> {
  return people.flatMap((name) => {
    const user = findUserByEmail(mattermost.db, addressOf(name));
    return user ? [{ name, userId: user.id }] : [];
  });
}

/** Fills a new server with people, channels and a day of messages. Does nothing if that was done before. */
export async function seedChat(mattermost: Mattermost, operator: Operator): Promise<void> {
  if (readSetting(mattermost.db, "seeded")) return;
  // These passwords are unknown to everyone: people sign in with tokens from the gateway.
  const passwordHash = await hashPassword(randomBytes(24).toString("hex"));
  const start = mattermost.clock.now() - STORY_MINUTES * MINUTE_MS;
  const clock = { time: start };
  const past = mattermostOfThePast(mattermost, clock);
  past.transact(() => {
    const team = need(findTeam(past.db, operator.teamId), "the team");
    const admin = need(findUser(past.db, operator.adminId), "the admin");
    const told: Told = { mattermost: past, team, admin, users: new Map(), clock };
    makePeople(told, passwordHash);
    makeCommunities(told);
    const rootIds = new Map<string, string>();
    for (const message of seedMessages) say(told, message, start, rootIds);
    writeSetting(past.db, "seeded", "true");
  });
}

/** The settings that an operator gives to a gateway. */
export type Operator = { adminId: string; adminToken: string; teamId: string };

/** The operator of a server that is not set up. */
export const nobody: Operator = { adminId: "", adminToken: "", teamId: "" };

// Because of the underscore, no chain account can have this name.
const ADMIN_NAME = "hivegate_admin";

function read(mattermost: Mattermost): Operator | null {
  const stored = readSetting(mattermost.db, "operator");
  return stored ? (JSON.parse(stored) as Operator) : null;
}

/**
 * Returns the admin with their token, and the team. They are created on the first start and stay the same.
 */
export async function ensureOperator(mattermost: Mattermost): Promise<Operator> {
  const present = read(mattermost);
  if (present) return present;
  const passwordHash = await hashPassword(randomBytes(24).toString("hex"));
  return mattermost.transact(() => {
    const admin = createUser(mattermost, {
      username: ADMIN_NAME,
      email: "admin@sandbox.invalid",
      passwordHash,
    });
    const team = createTeam(mattermost, admin, { name: "hivegate", display_name: "Hivegate", type: "I" });
    const { token } = createAccessToken(mattermost, admin.id, "gateway");
    const operator = { adminId: admin.id, adminToken: token, teamId: team.id };
    writeSetting(mattermost.db, "operator", JSON.stringify(operator));
    return operator;
  });
}
