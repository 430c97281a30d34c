import type { Backend } from "../backend.ts";
import { refuse } from "../errors.ts";
import { makeId } from "../id.ts";
import { findTeamByName, insertTeam, type TeamRow } from "../model/teams.ts";
import type { UserRow } from "../model/users.ts";
import { blankChannel, saveChannel } from "./create-channel.ts";
import { joinTeam } from "./join-team.ts";

const reserved = [
  "signup",
  "login",
  "admin",
  "channel",
  "post",
  "api",
  "oauth",
  "error",
  "help",
  "plugins",
  "playbooks",
  "boards",
];

type NewTeam = {
  name: string;
  display_name: string;
  type: string;
  description?: string | undefined;
  email?: string | undefined;
  company_name?: string | undefined;
  allow_open_invite?: boolean | undefined;
};

/** @throws ApiError when a field breaks a rule. */
export function checkTeam(team: Pick<TeamRow, "name" | "display_name" | "description" | "type">): void {
  const isNameGood = /^[a-z0-9]+([a-z\-0-9]+|(__)?)[a-z0-9]+$/.test(team.name);
  if (!isNameGood || team.name.length < 2 || team.name.length > 64)
    refuse("model.team.is_valid.characters.app_error");
  if (reserved.some((word) => team.name.startsWith(word))) refuse("model.team.is_valid.reserved.app_error");
  if (team.display_name.trim() === "" || [...team.display_name].length > 64)
    refuse("model.team.is_valid.name.app_error");
  if (team.description.length > 255) refuse("model.team.is_valid.description.app_error");
  if (team.type !== "O" && team.type !== "I") refuse("model.team.is_valid.type.app_error");
}

/** Makes a team with its two first channels; the creator is its admin. @throws ApiError 400. */
export function createTeam(backend: Backend, creator: UserRow, values: NewTeam): TeamRow {
  const now = backend.clock.now();
  const team: TeamRow = {
    id: makeId(),
    create_at: now,
    update_at: now,
    delete_at: 0,
    display_name: values.display_name,
    name: values.name,
    description: values.description ?? "",
    email: values.email || creator.email,
    type: values.type,
    company_name: values.company_name ?? "",
    allowed_domains: "",
    invite_id: makeId(),
    allow_open_invite: Number(values.allow_open_invite ?? false),
  };
  checkTeam(team);
  if (findTeamByName(backend.db, team.name))
    refuse(
      backend.isV11 ? "store.sql_team.save_team.existing.app_error" : "app.team.save.existing.app_error",
    );
  insertTeam(backend.db, team);
  for (const [name, display_name] of [
    ["town-square", "Town Square"],
    ["off-topic", "Off-Topic"],
  ] as const) {
    saveChannel(
      backend,
      blankChannel(backend, { team_id: team.id, type: "O", name, display_name, creator_id: "" }),
    );
  }
  joinTeam(backend, team, creator, true);
  return team;
}
