import { Compass } from "lucide-react";
import type { Metadata } from "next";
import { LateSiteHeader } from "./(demo)/_landing/broken-page.tsx";
import { SiteFooter } from "./(demo)/_landing/site-footer.tsx";
import { strings } from "./(demo)/_landing/strings.en.ts";
import { buttonLook } from "./(demo)/_ui/button.tsx";
import { Notice } from "./(demo)/_ui/notice.tsx";

const { notFound } = strings;

export const generateMetadata = (): Metadata => ({ title: notFound.title });

/** Answers every address without a page, and offers ways on. */
export default function NotFound() {
  return (
    <>
      <LateSiteHeader />
      <main id="content" className="mx-auto w-full max-w-xl px-4 py-16">
        <Notice
          heading="h1"
          icon={<Compass aria-hidden size={28} />}
          title={notFound.title}
          actions={
            <>
              {/* Every page loads what this one needs, and hardly anyone sees it: so no client-side links. */}
              <a href="/" className={buttonLook({ tone: "primary" })}>
                {notFound.home}
              </a>
              <a href="/chat" className={buttonLook()}>
                {notFound.chat}
              </a>
            </>
          }
        >
          <p>{notFound.text}</p>
        </Notice>
      </main>
      <SiteFooter />
    </>
  );
}
