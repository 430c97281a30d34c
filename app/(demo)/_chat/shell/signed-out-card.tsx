import type { ReactNode } from "react";
import { Logo } from "../../_ui/logo.tsx";
import { strings } from "../strings.en.ts";

/** The frame around the ways to sign in to the chat. */
export function SignedOutCard({ children }: { children: ReactNode }) {
  return (
    <main id="content" className="mx-auto max-w-xl px-4 pt-[max(2rem,8dvh)] pb-8">
      <div className="rounded-2xl border border-line bg-surface p-5 shadow-lift sm:p-7">
        {/* A full page load, because the address of this page belongs to the chat once the reader has signed in. */}
        <a href="/" aria-label={strings.signedOut.home} className="mb-4 inline-block">
          <Logo className="size-10" />
        </a>
        <h1 className="text-xl font-semibold">{strings.signedOut.title}</h1>
        <p className="mt-2 mb-6 text-ink-soft">{strings.signedOut.text}</p>
        {children}
      </div>
    </main>
  );
}
