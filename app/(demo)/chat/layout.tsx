import type { Metadata } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { openingScript } from "../_chat/data/opening-script.ts";
import { ChatApp } from "../_chat/shell/chat-app.tsx";
import { strings } from "../_chat/strings.en.ts";
import { keptLookScript } from "../_ui/kept-look.ts";

export const generateMetadata = (): Metadata => ({ title: { absolute: strings.pageTitle(0, null) } });

export default async function ChatLayout({ children }: { children: ReactNode }) {
  const asked = await headers();
  const nonce = asked.get("x-nonce") ?? undefined;
  const paths: string[] = JSON.parse(asked.get("x-opening") ?? "[]");
  return (
    <>
      {paths.length > 0 && (
        // A module that waits for nothing, while a plain script would wait for the styles. Browsers hide the nonce from
        // scripts, React's among them.
        <script type="module" async suppressHydrationWarning nonce={nonce}>
          {openingScript(paths) + keptLookScript}
        </script>
      )}
      <ChatApp>{children}</ChatApp>
    </>
  );
}
