"use client";

import { type ReactNode, useSyncExternalStore } from "react";
import type { ChatSession } from "../../../lib/chat-client/index.ts";
import { session, wallet } from "../../_languages/es/session.ts";
import { provideTexts, speak } from "../_ui/language.ts";
import { SignInForm } from "./sign-in-form.tsx";

provideTexts("es", { session, wallet });

/** The properties of `SignInPanel`. */
export type SignInPanelProps = {
  /** The client that signs in: a chat client or a chat session. */
  chat: Pick<ChatSession, "baseUrl" | "auth" | "request" | "signIn">;
  /** Called once the chat is open for the account. */
  onSignedIn: (username: string) => void;
  /** Default `en`. A page has one language, which its last rendered panel sets. */
  language?: "en" | "es";
  /** Host and port of the gateway's `PUBLIC_URL`, if `baseUrl` differs from it. */
  host?: string;
  /** The address of a relay of HiveAuth, such as the gateway's `HAS_URL`. Without it, HiveAuth is not offered. */
  hiveAuthRelay?: string;
  /**
   * The gateway's `HIVESIGNER_APP`. HiveSigner is offered on pages of the gateway's own origin only, because its answer
   * counts only with the cookie of that origin.
   */
  hivesignerApp?: string;
};

const neverChanges = () => () => {};

/**
 * The panel that signs a Hive account in to a gateway: by Keychain in this browser or on a phone, Ecency, HiveAuth or
 * HiveSigner. It needs the stylesheet `hivegate/react.css`. The server renders nothing, because only the browser knows
 * which wallets suit it.
 */
export function SignInPanel({
  chat,
  onSignedIn,
  language = "en",
  host,
  hiveAuthRelay,
  hivesignerApp,
}: SignInPanelProps): ReactNode {
  const isInBrowser = useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
  if (!isInBrowser) return null;
  speak({ language, locale: language });
  const { baseUrl, auth, request } = chat;
  const isHome = new URL(baseUrl).origin === window.location.origin;
  return (
    <div className="hivegate-sign-in" lang={language}>
      <SignInForm
        key={language}
        gateway={{ baseUrl, auth, request, ...(host !== undefined && { host }) }}
        wallets={{
          hiveAuthRelay: hiveAuthRelay ?? null,
          hivesignerApp: isHome ? (hivesignerApp ?? null) : null,
        }}
        open={async ({ username, accessToken }) => {
          await chat.signIn({ as: { username, accessToken } });
        }}
        onSignedIn={onSignedIn}
      />
    </div>
  );
}
