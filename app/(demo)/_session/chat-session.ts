import { type ChatSession, createChatSession } from "../../../lib/chat-client/index.ts";
import { fetchRecorded } from "../_wire/wire-log.ts";
import { takeEarlyAnswer } from "./early-answers.ts";
import { forgetOnLeaving } from "./person.ts";

/** The page's only access to the gateway. The browser's cookies identify the caller. */
export const chatSession: ChatSession = createChatSession({
  // Pages are also rendered on the server, where no requests are sent.
  baseUrl: typeof window === "undefined" ? "http://rendered.invalid" : window.location.origin,
  carrier: "cookie",
  fetch: (address, init) => fetchRecorded(address, init, takeEarlyAnswer(address, init)),
  async login({ auth }) {
    const [{ username }, { accessToken }] = await Promise.all([auth.session(), auth.refresh()]);
    return { username, accessToken };
  },
});

forgetOnLeaving();
