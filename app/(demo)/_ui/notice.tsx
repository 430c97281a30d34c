import { clsx } from "clsx";
import type { ReactNode } from "react";

const tones = {
  neutral: "border-line bg-surface text-ink",
  warning: "border-warn/50 bg-warn-wash text-ink",
  danger: "border-danger/40 bg-danger-wash text-ink",
  good: "border-good/40 bg-good-wash text-ink",
};

/** A full-width place for an empty, failed or finished state: what happened, why, and what to do next. */
export function Notice({
  icon,
  title,
  children,
  actions,
  tone = "neutral",
  heading: Heading = "h2",
  className,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  tone?: keyof typeof tones;
  /** `h1` if the notice is the only content of its page. */
  heading?: "h1" | "h2";
  className?: string;
}) {
  return (
    <section
      role={tone === "danger" ? "alert" : undefined}
      className={clsx("rounded-2xl border p-6 text-center", tones[tone], className)}
    >
      {icon && <div className="mb-3 flex justify-center text-ink-soft">{icon}</div>}
      <Heading className="text-lg font-semibold text-balance [overflow-wrap:anywhere]">{title}</Heading>
      {children && <div className="mx-auto mt-2 max-w-prose text-sm text-ink-soft">{children}</div>}
      {actions && <div className="mt-5 flex flex-wrap justify-center gap-3">{actions}</div>}
    </section>
  );
}
