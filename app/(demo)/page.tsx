import { AtSign, Hash, Zap } from "lucide-react";
import Link from "next/link";
import { SiteHeader } from "./_landing/site-header.tsx";
import { StartPanel } from "./_landing/start-panel.tsx";
import { strings } from "./_landing/strings.en.ts";
import { buttonLook } from "./_ui/button.tsx";

const icons = [AtSign, Hash, Zap];

export default function LandingPage() {
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        className="mx-auto grid w-full max-w-6xl gap-10 px-4 py-8 sm:px-6 lg:grid-cols-[1.1fr_1fr] lg:gap-x-16 lg:py-16"
      >
        <div className="lg:self-end">
          <h1 className="text-xl font-semibold tracking-tight text-balance">{strings.title}</h1>
          <p className="mt-5 max-w-prose text-lg text-ink-soft">{strings.lead}</p>
          <div className="mt-6 flex flex-wrap gap-3">
            <Link href="/chat" prefetch={false} className={buttonLook({ tone: "primary", size: "large" })}>
              {strings.start}
            </Link>
            <Link href="/articles" prefetch={false} className={buttonLook({ size: "large" })}>
              {strings.readArticles}
            </Link>
          </div>
        </div>
        <div className="rounded-2xl border border-line bg-surface p-5 shadow-lift sm:p-7 lg:row-span-2 lg:self-center">
          <StartPanel />
        </div>
        <ul className="grid content-start gap-5 sm:grid-cols-3">
          {strings.points.map(({ title, text }, index) => {
            const Icon = icons[index] ?? Zap;
            return (
              <li key={title}>
                <Icon aria-hidden size={20} className="text-accent-text" />
                <h2 className="mt-2 font-semibold">{title}</h2>
                <p className="mt-1 text-sm text-ink-soft">{text}</p>
              </li>
            );
          })}
        </ul>
      </main>
    </>
  );
}
