import { EARLY_ANSWERS } from "../../_session/early-answers.ts";
import { NEXT_PAGE, SMALLEST_PAGE } from "./timeline-pages.ts";

const ID = "([a-z0-9]{26})";

/**
 * Runs in the page while its scripts are still loading, and asks for what the chat shows first: the user, the channels,
 * and the messages of the channel in the address.
 */
export const openingScript = `(() => {
  const answers = (window.${EARLY_ANSWERS} = {});
  const ask = (path) => { answers["/api/chat" + path] = fetch("/api/chat" + path).catch(() => null); };
  ask("/me");
  ask("/channels");
  const channel = /^\\/chat\\/${ID}$/.exec(location.pathname);
  const post = /[?&]post=${ID}(&|$)/.exec(location.search);
  const page = post ? "around=" + post[1] + "&per_page=${NEXT_PAGE}" : "per_page=${SMALLEST_PAGE}";
  if (channel) ask("/channels/" + channel[1] + "/posts?" + page);
})();`;
