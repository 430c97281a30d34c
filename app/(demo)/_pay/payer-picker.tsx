"use client";

import { clsx } from "clsx";
import { MAX_TYPED_NAME, readAccountName } from "../_session/accounts.ts";
import { ChainForWallet } from "../_session/chain-for-wallet.tsx";
import { Avatar } from "../_ui/avatar.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { readHbd } from "./amounts.ts";
import { loadHistory } from "./load-history.ts";
import type { Payers } from "./load-payers.ts";
import { strings } from "./strings.en.ts";
import { useLoaded } from "./use-loaded.ts";

/** Who is chosen: a sandbox account by name, or a wallet for the account typed in. */
export type PayerChoice = { kind: "sandbox" | "keychain"; account: string };

/** The sandbox's accounts and the wallet, of which one pays. */
export function PayerPicker({
  payers,
  payee,
  choice,
  onChoose,
}: {
  payers: Payers;
  payee: string;
  choice: PayerChoice;
  onChoose: (choice: PayerChoice) => void;
}) {
  const isWallet = choice.kind === "keychain";
  return (
    <fieldset>
      <legend className="mb-2 text-sm font-medium">{strings.payer.legend}</legend>
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
        {payers.accounts.map(({ name }) => (
          <Choice
            key={name}
            isChosen={!isWallet && choice.account === name}
            isDisabled={name === payee}
            onChoose={() => onChoose({ kind: "sandbox", account: name })}
          >
            <Avatar name={name} size="small" />
            <span className="truncate">{name}</span>
          </Choice>
        ))}
        <Choice
          isChosen={isWallet}
          className={clsx("col-span-2", payers.accounts.length > 0 && "sm:col-span-3")}
          onChoose={() => onChoose({ kind: "keychain", account: payers.me ?? "" })}
        >
          {strings.payer.keychain}
        </Choice>
      </div>
      <p className="mt-2 text-xs text-ink-soft">
        {isWallet ? strings.payer.keychainHint : strings.payer.sandboxHint}
      </p>
      {isWallet && payers.chain && (
        <div className="mt-2">
          <ChainForWallet chain={payers.chain} />
        </div>
      )}
      {isWallet && (
        <TextField
          className="mt-3"
          label={strings.payer.account}
          value={choice.account}
          onChange={(event) => onChoose({ kind: "keychain", account: readAccountName(event.target.value) })}
          autoCapitalize="none"
          autoComplete="username"
          spellCheck={false}
          maxLength={MAX_TYPED_NAME}
        />
      )}
    </fieldset>
  );
}

function Choice({
  isChosen,
  isDisabled = false,
  onChoose,
  className,
  children,
}: {
  isChosen: boolean;
  isDisabled?: boolean;
  onChoose: () => void;
  className?: string;
  children: React.ReactNode;
}) {
  return (
    <label
      className={clsx(
        "flex h-11 min-w-0 items-center gap-2 rounded-lg border px-3 text-sm has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring",
        isChosen ? "border-accent-text bg-accent-wash font-medium" : "border-line bg-raised",
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

/** What the payer has, by the chain's word; nothing is shown where it can't be read. */
export function BalanceHint({ account, amount }: { account: string; amount: string }) {
  const { data } = useLoaded(accountName.test(account) ? account : null, (signal) =>
    loadHistory(account, signal),
  );
  const isShort = data !== null && (readHbd(data.balance) ?? 0) < (readHbd(amount) ?? 0);
  const write = isShort ? strings.payer.tooLittle : strings.payer.balance;
  return (
    <p role="status" className={`min-h-5 text-sm ${isShort ? "text-danger" : "text-ink-soft"}`}>
      {data && write(account, data.balance)}
    </p>
  );
}
