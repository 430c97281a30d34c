import { chat } from "./chat.ts";
import { approval } from "./chat-approval.ts";
import { help } from "./chat-help.ts";
import { media } from "./media.ts";
import { landing, settings, ui } from "./pages.ts";
import { articles, offers, pay, payments, transfer, wire } from "./pay.ts";
import { reference, session, wallet } from "./session.ts";

/** The pages in Spanish, by the room that shows each part. */
export const texts = {
  ui,
  wire,
  session,
  wallet,
  pay,
  transfer,
  chat,
  approval,
  help,
  media,
  landing,
  reference,
  articles,
  offers,
  payments,
  settings,
};
