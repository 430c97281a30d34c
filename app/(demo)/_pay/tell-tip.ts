import { createChatClient } from "../../../lib/chat-client/index.ts";
import { gateway } from "../_session/gateway.ts";
import { toast } from "../_ui/toast.tsx";
import { strings } from "./strings.en.ts";

/** A tip that was paid, such as of "0.010 HBD", and the link that it was given for. */
export type GivenTip = { to: string; amount: string; payer: string; postUrl: string };
export type TellTip = (tip: GivenTip) => void;

/** Says in the conversation with somebody what they were tipped, and for which message; a failure is told. */
export function tellInConversation(tip: GivenTip): void {
  sendNote(tip).catch(() => toast.error(strings.tip.untold(tip.to)));
}

async function sendNote({ to, amount, payer, postUrl }: GivenTip): Promise<void> {
  const { users, posts } = createChatClient({ session: gateway });
  const channelId = await users.openDirect(to);
  const link = URL.canParse(postUrl) && new URL(postUrl).pathname.startsWith("/chat/") ? postUrl : null;
  const message = strings.tip.note(amount, payer, link);
  await posts.create(channelId, { message });
}
