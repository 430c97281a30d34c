import type { User } from "./model.ts";

/** What somebody calls themselves besides their account's name; empty where they say nothing. */
export const fullNameOf = ({ nickname, first_name, last_name }: User): string =>
  nickname || [first_name, last_name].filter(Boolean).join(" ");
