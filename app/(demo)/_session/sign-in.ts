"use client";

import { ChatError } from "../../../lib/chat-client/index.ts";
import { showBadge } from "../_ui/installed.ts";
import { forgetAskedWallet } from "./asked-wallet.ts";
import { chatSession } from "./chat-session.ts";
import { tellOtherTabs } from "./other-tabs.ts";
import { changePerson, onPerson } from "./person.ts";
import type { Proven } from "./use-sign-in.ts";

onPerson(forgetAskedWallet);

/** Opens the chat of an account that has been proven to the gateway. @throws ChatError */
export async function openChat({ username, accessToken, isByWallet }: Proven): Promise<void> {
  changePerson(username, isByWallet);
  await chatSession.signIn({ as: { username, accessToken } });
  tellOtherTabs(username);
}

/**
 * Revokes the chat token and ends the login session, and removes the purchases in this browser.
 * @throws ChatError if either could not be ended; the user then stays signed in
 */
export async function signOut(): Promise<void> {
  await chatSession.signOut().catch((error: unknown) => {
    // A user whose token is refused has no token left to revoke.
    if (!(error instanceof ChatError && error.status === 403)) throw error;
  });
  await chatSession.auth.logout();
  changePerson(null);
  tellOtherTabs(null);
  showBadge(0);
}
