import { clsx } from "clsx";
import type { Payment } from "../_pay/load-history.ts";
import { strings } from "./strings.en.ts";

const time = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** The single payments, newest first. */
export function PaymentTable({ payments }: { payments: readonly Payment[] }) {
  const { columns } = strings;
  return (
    <div className="overflow-x-auto rounded-2xl border border-line bg-surface">
      <table className="w-full text-left text-sm">
        <thead className="border-b border-line text-xs text-ink-soft">
          <tr>
            <Head>{columns.time}</Head>
            <Head>{columns.with}</Head>
            <Head className="text-right">{columns.amount}</Head>
            <Head className="hidden sm:table-cell">{columns.block}</Head>
            <Head className="hidden sm:table-cell">{columns.transaction}</Head>
          </tr>
        </thead>
        <tbody>
          {payments.map(({ txId, time: at, direction, from, to, amount, blockNum }) => (
            <tr key={txId} className="border-b border-line last:border-0">
              <td className="px-3 py-2.5 sm:px-4">
                <time dateTime={at}>{time.format(new Date(at))}</time>
              </td>
              <td className="px-3 py-2.5 font-medium sm:px-4">
                {direction === "paid" ? strings.to(to) : strings.from(from)}
              </td>
              <td
                className={clsx(
                  "px-3 py-2.5 text-right whitespace-nowrap tabular-nums sm:px-4",
                  direction === "earned" && "text-good",
                )}
              >
                {direction === "earned" ? "+" : "−"}
                {amount.replace(" HBD", "")}
              </td>
              <td className="hidden px-4 py-2.5 tabular-nums sm:table-cell">{blockNum}</td>
              <td className="hidden px-4 py-2.5 font-mono text-xs sm:table-cell" title={txId}>
                {txId.slice(0, 12)}…
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Head({ className, children }: { className?: string; children: string }) {
  return (
    <th scope="col" className={clsx("px-3 py-2.5 font-medium sm:px-4", className)}>
      {children}
    </th>
  );
}
