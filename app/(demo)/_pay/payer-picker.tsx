"use client";

import { clsx } from "clsx";
import { Wallet } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { NO_MILS, parseMils } from "../../../lib/mils.ts";
import { ChainForWallet } from "../_session/chain-for-wallet.tsx";
import { hasKeychain } from "../_session/keychain.ts";
import { MAX_TYPED_NAME, readAccountName } from "../_session/typed-name.ts";
import { Avatar } from "../_ui/avatar.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { prefersTransfer } from "./last-payer.ts";
import { loadHistory, type Payers } from "./load-accounts.ts";
import { strings } from "./strings.en.ts";
import { useLoaded } from "./use-loaded.ts";

/**
 * The chosen payer: a sandbox account by name, the wallet in this browser for the typed account, or any wallet that
 * sends a transfer from its own account.
 */
export type PayerChoice =
  | { kind: "sandbox" | "keychain"; account: string }
  | { kind: "transfer"; account: "" };

const byTransfer: PayerChoice = { kind: "transfer", account: "" };

/**
 * Returns the default payer: any wallet if it paid last, otherwise the signed-in user, with their wallet or sandbox account, otherwise another
 * sandbox account. A payee does not pay itself.
 */
export function firstChoice(
  payers: Payers | null,
  { payee, takesTransfer }: { payee: string; takesTransfer: boolean },
): PayerChoice {
  const { accounts = [], me = null, isByWallet = false } = payers ?? {};
  if (payers && takesTransfer && prefersTransfer(accounts.length > 0)) return byTransfer;
  if (me !== null && isByWallet && me !== payee && hasKeychain()) return { kind: "keychain", account: me };
  const own = accounts.find(({ name }) => name === me && name !== payee);
  const first = own ?? accounts.find(({ name }) => name !== payee);
  return first ? { kind: "sandbox", account: first.name } : { kind: "keychain", account: me ?? "" };
}

/**
 * The payer, in one row that expands to the choices: the sandbox's accounts, and the wallet with a field for
 * its account.
 */
export function PayerPicker({
  payers,
  payee,
  choice,
  amount,
  balance,
  takesTransfer,
  takesFocus,
  onChoose,
}: {
  payers: Payers;
  payee: string;
  choice: PayerChoice;
  /** The price, to check whether the payer can afford it. */
  amount: string;
  /** The payer's balance, such as "1.000 HBD", or null if unknown. */
  balance: string | null;
  /** True if a transfer that a wallet sends can pay. */
  takesTransfer: boolean;
  takesFocus: boolean;
  onChoose: (choice: PayerChoice) => void;
}) {
  const isWallet = choice.kind === "keychain";
  const isSignedIn = payers.isByWallet && choice.account === payers.me;
  const [isOpen, setIsOpen] = useState(false);
  const [isPointed, setIsPointed] = useState(false);
  const point = () => {
    setIsOpen(false);
    setIsPointed(true);
  };
  const row = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus) row.current?.focus();
  }, [takesFocus]);
  const options = useId();
  const wallet = (
    <Choice
      isChosen={isWallet}
      className={clsx("col-span-2", payers.accounts.length > 0 && "sm:col-span-3")}
      onChoose={() => onChoose({ kind: "keychain", account: payers.me ?? "" })}
      onPoint={point}
    >
      {strings.payer.keychain}
    </Choice>
  );
  const anyWallet = takesTransfer && (
    <Choice
      isChosen={choice.kind === "transfer"}
      className={clsx("col-span-2", payers.accounts.length > 0 && "sm:col-span-3")}
      onChoose={() => onChoose(byTransfer)}
      onPoint={point}
    >
      {strings.payer.transfer}
    </Choice>
  );
  return (
    <div>
      <button
        ref={row}
        type="button"
        aria-expanded={isOpen}
        aria-controls={options}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-12 w-full items-center gap-3 rounded-xl border border-line bg-raised px-3 py-2 text-start text-sm hover:border-line-strong"
      >
        {choice.account === "" ? (
          <Wallet aria-hidden size={20} />
        ) : (
          <Avatar name={choice.account} size="small" />
        )}
        <span className="min-w-0 grow">
          <span className="block font-medium [overflow-wrap:anywhere]">{nameOf(choice)}</span>
          <BalanceHint account={choice.account} balance={balance} amount={amount} />
        </span>
        <span className="shrink-0 font-medium text-link">{strings.payer.change}</span>
      </button>
      <fieldset id={options} hidden={!isOpen} className="mt-3">
        <legend className="sr-only">{strings.payer.legend}</legend>
        <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
          {payers.isByWallet && wallet}
          {payers.accounts.map(({ name }) => (
            <Choice
              key={name}
              isChosen={choice.kind === "sandbox" && choice.account === name}
              isDisabled={name === payee}
              onChoose={() => onChoose({ kind: "sandbox", account: name })}
              // The arrow keys move through the options, so the list stays open.
              onPoint={point}
            >
              <Avatar name={name} size="small" />
              <span className="truncate">{name}</span>
            </Choice>
          ))}
          {!payers.isByWallet && wallet}
          {anyWallet}
        </div>
        {choice.kind === "sandbox" && (
          <p className="mt-2 text-xs text-ink-soft">{strings.payer.sandboxHint}</p>
        )}
      </fieldset>
      {isWallet && (isOpen || !isSignedIn) && (
        <div className="mt-3 space-y-2">
          <TextField
            autoFocus={isPointed}
            label={strings.payer.account}
            hint={strings.payer.keychainHint}
            value={choice.account}
            onChange={(event) => onChoose({ kind: "keychain", account: readAccountName(event.target.value) })}
            autoCapitalize="none"
            autoComplete="username"
            spellCheck={false}
            maxLength={MAX_TYPED_NAME}
          />
          <ChainForWallet />
        </div>
      )}
    </div>
  );
}

function nameOf({ kind, account }: PayerChoice): string {
  if (kind === "transfer") return strings.payer.byTransfer;
  return account === "" ? strings.payer.nobody : strings.payer.by(account, kind === "keychain");
}

function Choice({
  isChosen,
  isDisabled = false,
  onChoose,
  onPoint,
  className,
  children,
}: {
  isChosen: boolean;
  isDisabled?: boolean;
  onChoose: () => void;
  onPoint?: () => void;
  className?: string;
  children: React.ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys choose by the radio button, and leave the choice open
    <label
      onClick={(event) => {
        if (event.detail > 0 && !isDisabled) onPoint?.();
      }}
      className={clsx(
        "flex h-11 min-w-0 items-center gap-2 rounded-lg border px-3 text-sm has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring",
        isChosen ? "border-line-strong bg-selected font-medium" : "border-line bg-raised",
        isDisabled ? "opacity-50" : "cursor-pointer hover:border-line-strong",
        className,
      )}
    >
      <input
        type="radio"
        name="payer"
        className="sr-only"
        checked={isChosen}
        disabled={isDisabled}
        onChange={onChoose}
      />
      {children}
    </label>
  );
}

const accountName = /^[a-z][a-z0-9.-]{2,15}$/;

/**
 * Returns an account's balance on the chain, such as "1.000 HBD", and whether it is less than an amount. The
 * balance is read again when the reader returns to the window. An unreadable balance is null, and never too
 * small.
 */
export function useBalance(account: string, amount: string): { balance: string | null; isShort: boolean } {
  const { data, reload } = useLoaded(accountName.test(account) ? account : null, (signal) =>
    loadHistory(account, signal),
  );
  useEffect(() => {
    window.addEventListener("focus", reload);
    return () => window.removeEventListener("focus", reload);
  }, [reload]);
  const balance = data?.balance ?? null;
  return { balance, isShort: isLess(balance, amount) };
}

const isLess = (balance: string | null, amount: string): boolean =>
  balance !== null && (parseMils(balance) ?? NO_MILS) < (parseMils(amount) ?? NO_MILS);

/** The payer's balance; hidden if unknown. */
function BalanceHint({
  account,
  balance,
  amount,
}: {
  account: string;
  balance: string | null;
  amount: string;
}) {
  const isShort = isLess(balance, amount);
  const write = isShort ? strings.payer.tooLittle : strings.payer.balance;
  return (
    <span role="status" className={clsx("block min-h-4 text-xs", isShort ? "text-danger" : "text-ink-soft")}>
      {balance !== null && write(account, balance)}
    </span>
  );
}
