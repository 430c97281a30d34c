import { Check } from "lucide-react";
import { cookies } from "next/headers";
import Link from "next/link";
import { CodeTabs } from "./_landing/code-tabs.tsx";
import { SiteFooter } from "./_landing/site-footer.tsx";
import { SiteHeader } from "./_landing/site-header.tsx";
import { StartPanel } from "./_landing/start-panel.tsx";
import { strings } from "./_landing/strings.en.ts";
import { IfShop } from "./_pay/shop-here.tsx";
import { buttonLook } from "./_ui/button.tsx";
import { CopyButton } from "./_ui/copy-button.tsx";

const { points, quickstart, code, steps, pictures } = strings;
const heading = "text-lg font-semibold tracking-tight";

/** The cookie set on sign-in. The panel asks the gateway whether the login session is still valid. */
const SESSION_COOKIE = "session";

export default async function LandingPage() {
  const isBack = (await cookies()).has(SESSION_COOKIE);
  const start = (
    <div className="rounded-2xl border border-line bg-surface p-5 shadow-lift sm:p-7 lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:self-start">
      <StartPanel isBack={isBack} />
    </div>
  );
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto w-full max-w-6xl space-y-16 px-4 py-8 sm:px-6 lg:py-10">
        <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[1.2fr_1fr]">
          {isBack && start}
          <Pitch isBack={isBack} />
          <Audiences />
          {!isBack && start}
        </div>
        <section aria-labelledby="code" className="grid gap-6 lg:grid-cols-[1fr_2fr] lg:gap-x-12">
          <div>
            <h2 id="code" className={heading}>
              {code.title}
            </h2>
            <p className="mt-2 max-w-prose text-ink-soft">{code.text}</p>
          </div>
          <CodeTabs />
        </section>
        <section aria-labelledby="steps">
          <h2 id="steps" className={heading}>
            {steps.title}
          </h2>
          <ol className="mt-4 grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
            {steps.all.map(({ title, text }, index) => (
              <li key={title} className="rounded-2xl border border-line bg-surface p-5">
                <span
                  aria-hidden
                  className="flex size-7 items-center justify-center rounded-full bg-selected text-sm font-semibold"
                >
                  {index + 1}
                </span>
                <h3 className="mt-3 font-semibold">{title}</h3>
                <p className="mt-1 text-sm text-ink-soft">{text}</p>
              </li>
            ))}
          </ol>
        </section>
        <section aria-labelledby="pictures">
          <h2 id="pictures" className={heading}>
            {pictures.title}
          </h2>
          <div className="mt-4 grid gap-6 md:grid-cols-2">
            <Picture name="chat" text={pictures.chat} />
            <Picture name="article" text={pictures.article} />
          </div>
        </section>
      </main>
      <SiteFooter />
    </>
  );
}

function Pitch({ isBack }: { isBack: boolean }) {
  return (
    <div>
      <h1 className="text-xl font-semibold tracking-tight text-balance">{strings.title}</h1>
      <p className="mt-3 max-w-prose text-ink-soft">{strings.lead}</p>
      <div className="mt-5 flex flex-wrap gap-3">
        {!isBack && (
          <a href="/chat" className={buttonLook({ tone: "primary", size: "large" })}>
            {strings.start}
          </a>
        )}
        <IfShop>
          <Link href="/articles" prefetch={false} className={buttonLook({ size: "large" })}>
            {strings.readArticles}
          </Link>
        </IfShop>
      </div>
    </div>
  );
}

/** The product for its users and for developers, with the command that shows both. */
function Audiences() {
  return (
    <div className="space-y-5">
      <div className="grid gap-5 sm:grid-cols-2">
        {points.map(({ title, texts }) => (
          <section key={title}>
            <h2 className="font-semibold">{title}</h2>
            <ul className="mt-2 space-y-2">
              {texts.map((text) => (
                <li key={text} className="flex gap-2 text-sm text-ink-soft">
                  <Check aria-hidden size={16} className="mt-0.5 shrink-0 text-good" />
                  {text}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-sm text-ink-soft">{quickstart.hint}</span>
        <span className="flex items-center rounded-lg border border-line bg-sunken ps-3">
          <code className="font-mono text-sm">{quickstart.command}</code>
          <CopyButton text={quickstart.command} label={quickstart.copy} />
        </span>
      </div>
    </div>
  );
}

/** A screenshot of the product in the theme of the page. The other theme's screenshot is not loaded. */
function Picture({ name, text }: { name: string; text: string }) {
  return (
    <figure>
      {(["light", "dark"] as const).map((theme) => (
        // biome-ignore lint/performance/noImgElement: it is as small as it is shown
        <img
          key={theme}
          src={`/pictures/${name}-${theme}.webp`}
          alt={text}
          width={800}
          height={500}
          loading="lazy"
          className={`w-full rounded-xl border border-line ${theme === "light" ? "dark:hidden" : "hidden dark:block"}`}
        />
      ))}
      <figcaption className="mt-2 text-sm text-ink-soft">{text}</figcaption>
    </figure>
  );
}
