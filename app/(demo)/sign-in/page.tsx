import type { Metadata } from "next";
import { SignedOutCard } from "../_chat/shell/signed-out-card.tsx";
import { strings } from "../_chat/strings.en.ts";
import { Entrance } from "./entrance.tsx";

export const generateMetadata = (): Metadata => ({ title: { absolute: strings.pageTitle(0, null) } });

/** The page that signed-out readers get at every address of the chat, without the chat's scripts. */
export default function SignInPage() {
  return (
    <SignedOutCard>
      <Entrance />
    </SignedOutCard>
  );
}
