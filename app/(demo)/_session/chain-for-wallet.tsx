import type { SandboxChain } from "../../../lib/chat-client/index.ts";
import { CopyText } from "../_ui/copy-button.tsx";
import { strings } from "./wallet-strings.en.ts";

const texts = strings.chain;

/** Why a signature may be unknown on the sandbox, and what helps whoever signed with a wallet. */
export function OwnChain({ chain, isWallet }: { chain: SandboxChain; isWallet: boolean }) {
  return (
    <div className="mt-3 space-y-3">
      <p>{strings.ownChain}</p>
      {isWallet && <ChainForWallet chain={chain} isOpen />}
    </div>
  );
}

/** How a wallet, which is on Hive's main chain until somebody says otherwise, is brought to this one. */
export function ChainForWallet({ chain, isOpen = false }: { chain: SandboxChain; isOpen?: boolean }) {
  return (
    <details className="text-start text-sm" open={isOpen}>
      <summary className="font-medium text-link pointer-coarse:py-2.5">{texts.summary}</summary>
      <ol className="mt-2 list-decimal space-y-1 ps-5 text-ink-soft">
        {texts.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <dl className="mt-2 rounded-xl bg-sunken px-3 py-2">
        <dt className="text-xs text-ink-soft">{texts.node}</dt>
        <dd>
          <CopyText text={chain.url} label={texts.copyNode} copied={texts.copied} />
        </dd>
        <dt className="text-xs text-ink-soft">{texts.chainId}</dt>
        <dd>
          <CopyText text={chain.chainId} label={texts.copyChainId} copied={texts.copied} />
        </dd>
      </dl>
    </details>
  );
}
