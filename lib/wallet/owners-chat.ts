import { WebSocket } from "undici";
import type { Approvals } from "../approvals/approvals.ts";
import type { Place } from "../approvals/chat.ts";
import { openChatDoor } from "../approvals/chat-door.ts";
import type { OwnersDoor } from "../approvals/consent.ts";
import { createChatClient } from "../chat-client/index.ts";
import { signWithPostingKey } from "../hive/sign-in.ts";
import type { Settings } from "./settings.ts";
import { WalletError } from "./wallet-error.ts";

/** The conversation with the wallet's owner. */
export type OwnersChat = {
  /** Asks in the conversation. A question that can't be written is left to the owner's command. */
  door: OwnersDoor;
  close(): void;
};

/**
 * Signs in to the chat of the settings and listens for the owner's answers, or returns null if the settings
 * name no chat.
 * @throws WalletError without a posting key, or if the account would approve its own payments
 */
export function openOwnersChat({
  settings: { account, chat: wanted },
  postingKey,
  approvals,
  nodes,
}: {
  settings: Pick<Settings, "account" | "chat">;
  postingKey: string | undefined;
  approvals: Approvals;
  nodes: readonly string[];
}): OwnersChat | null {
  if (!wanted) return null;
  const { url: baseUrl, owner } = wanted;
  if (owner === account)
    throw new WalletError("The chat's owner must be another account than the one that pays.");
  if (postingKey === undefined)
    throw new WalletError(
      "The chat needs the account's posting key, in posting.key or HIVEGATE_POSTING_KEY.",
    );
  const login = signWithPostingKey({ username: account, postingKey });
  const chat = createChatClient({ baseUrl, login, WebSocket });
  const door = openChatDoor({ chat, agent: account, owner, nodes, approvals });
  chat.connect();
  let place: Promise<Place> | null = null;
  /** Opens the conversation, once it is needed. */
  const findPlace = (): Promise<Place> => {
    place ??= chat.users.openDirect(owner).then(
      (channelId) => ({ channelId }),
      (error: unknown) => {
        place = null;
        throw error;
      },
    );
    return place;
  };
  return {
    door: {
      async ask(approval, { reason }) {
        try {
          await door.ask(approval, await findPlace(), reason);
        } catch {
          // The payment waits all the same, and the next call asks again.
        }
      },
      report: door.report,
    },
    close() {
      door.close();
      chat.disconnect();
    },
  };
}
