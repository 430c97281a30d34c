import type { strings as payTexts } from "../../(demo)/_pay/strings.en.ts";
import type { strings as transferTexts } from "../../(demo)/_pay/transfer-strings.en.ts";
import type { Translation } from "../../(demo)/_ui/language.ts";
import type { strings as wireTexts } from "../../(demo)/_wire/strings.en.ts";
import type { strings as articlesTexts } from "../../(demo)/articles/strings.en.ts";
import type { strings as offersTexts } from "../../(demo)/offers/strings.en.ts";
import type { strings as paymentsTexts } from "../../(demo)/payments/strings.en.ts";

const plural = new Intl.PluralRules("es");
const count = new Intl.NumberFormat("es");

export const pay: Translation<typeof payTexts> = {
  unlock: (amount) => `Desbloquear por ${amount}`,
  payTitle: "Pagar para leer",
  summary: {
    hbd: "HBD es el dólar de Hive: un HBD vale más o menos un dólar estadounidense.",
    to: (payee, chain) => `Para @${payee} en ${chain}`,
    mainChain: "Hive",
    sandboxChain: "la cadena de este entorno de pruebas",
  },
  payer: {
    legend: "Quién paga",
    by: (account, isWallet) => `Paga @${account}${isWallet ? " con Hive Keychain" : ""}`,
    nobody: "Elige quién paga",
    change: "Cambiar",
    sandboxHint: "Cuentas de prueba: claves públicas, dinero de juguete.",
    keychain: "Hive Keychain",
    transfer: "Un móvil u otra billetera",
    byTransfer: "Se paga desde un móvil u otra billetera",
    keychainHint: "Tu billetera pregunta antes de firmar. La clave nunca sale de ella.",
    account: "Tu cuenta de Hive",
    balance: (account, balance) => `@${account} tiene ${balance}`,
    tooLittle: (account, balance) => `@${account} solo tiene ${balance}. Elige otra cuenta.`,
  },
  guard: {
    line: (limit, left, total) =>
      `Como mucho ${limit} HBD por pago · quedan ${left} de ${total} HBD en esta pestaña`,
    change: "Cambiar límites",
    raise: (amount) => `Subir el límite a ${amount}`,
    perPayment: "Máximo por pago, HBD",
    perTab: "Máximo por pestaña, HBD",
    malformed: "Escribe un importe como 0.050",
    save: "Guardar límites",
    reset: "Contar otra vez desde cero",
    over_limit: (price, limit) => `${price} supera tu límite de ${limit} HBD por pago. No se firmará nada.`,
    over_budget: (price, left) =>
      `${price} es más que los ${left} HBD que quedan en esta pestaña. No se firmará nada.`,
  },
  pay: (amount) => `Pagar ${amount}`,
  steps: {
    ask: "Pedir el precio",
    sign: "Firmar el pago",
    settle: "Esperar el bloque, unos 3 s",
    done: "Abrir lo que se ha pagado",
  },
  wallet: {
    asks: (amount, payee) =>
      `Keychain te pide firmar ${amount} para @${payee}; abre Transaction para comprobarlo.`,
    left: (time) => `La oferta vale ${time} más.`,
    says: (said) => `Keychain dice: ${said}`,
  },
  order: {
    article: (amount, payee, title) => `${amount} para @${payee} por «${title}»`,
    tip: (amount, name) => `${amount} como propina para @${name}`,
  },
  late: {
    left: (order) =>
      `Habías cancelado el pago de ${order}. No se ha usado la firma de Keychain: no se ha pagado nada.`,
    expired: (order) => `La oferta había caducado cuando Keychain firmó ${order}: no se ha pagado nada.`,
  },
  wasBought: (payer) => `@${payer} ya lo había comprado: esta vez no se ha cobrado nada.`,
  left: {
    label: "Pagos en curso",
    asks: (order) => `Keychain sigue pidiéndote que firmes ${order}. Si lo confirmas allí, se paga.`,
    paying: (order) => `Pagando ${order}…`,
    sending: (order) => `Esperando tu transferencia de ${order}.`,
    finishing: (amount, payer) => `Terminando tu pago de ${amount} de @${payer}…`,
    opened: (title) => `«${title}» está pagado y abierto.`,
    show: "Mostrar",
    stop: "No pagar",
    read: "Leerlo",
    hide: "Ocultar",
  },
  pending: "Aún no está en un bloque; se envía otra vez el mismo pago…",
  failures: {
    insufficient_funds: {
      title: "No hay HBD suficiente",
      text: "No se ha cobrado nada. Elige otra cuenta o añade saldo a esta.",
    },
    expired: {
      title: "La oferta caducó",
      text: "No se pagó a tiempo y no se ha cobrado nada. Empieza de nuevo con otra oferta.",
    },
    cancelled: {
      title: "No se firmó nada",
      text: "Rechazaste o cerraste la pregunta de Keychain, o Keychain no tiene esa cuenta o su clave activa. Empieza de nuevo cuando quieras.",
    },
    wallet_asking: {
      title: "Keychain sigue preguntando",
      text: "Su pregunta anterior sigue abierta. Cierra antes su ventana; si ya está cerrada, inténtalo de nuevo sin más.",
    },
    wallet: {
      title: "La billetera no firmó",
      text: "No se ha cobrado nada. Cierra todas sus ventanas e inténtalo de nuevo. Si sigue igual, mira si tiene la clave activa de esta cuenta.",
    },
    over_limit: {
      title: "Supera tu límite",
      text: "El precio es mayor de lo que permites para un pago. Si de verdad lo quieres, sube el límite aquí abajo.",
    },
    over_budget: {
      title: "El total de la pestaña se agotó",
      text: "Este pago es más de lo que queda para esta pestaña. Si de verdad lo quieres, sube el total aquí abajo.",
    },
    pending: {
      title: "Aún no está liquidado",
      text: "El pago está en camino. Envíalo otra vez en un momento: el mismo pago no puede cobrarte dos veces.",
    },
    facilitator_down: {
      title: "Ahora no se pueden comprobar los pagos",
      text: "El servicio que los liquida no responde. Envía el mismo pago otra vez en un momento; no se puede cobrar dos veces.",
    },
    chain_down: {
      title: "No se puede llegar a la cadena",
      text: "No se ha firmado ni cobrado nada. Inténtalo de nuevo en un momento.",
    },
    offline: {
      title: "Sin respuesta",
      text: "Esta página no llega a su servidor. Revisa la conexión y envía de nuevo: sale el mismo pago, nunca otro.",
    },
    not_authorized: {
      title: "Esta clave no puede pagar",
      text: "La firma no es de la clave activa de la cuenta. No se ha cobrado nada. Elige la cuenta a la que pertenece la clave.",
    },
    wrong_chain: {
      title: "Firmado para otra cadena",
      text: "La billetera está en otra cadena que la de este pago. No se ha cobrado nada. Ponla en la cadena de este pago e inténtalo de nuevo.",
    },
    account_not_found: {
      title: "Esa cuenta no existe",
      text: "La cadena de este pago no conoce una de las dos cuentas. No se ha cobrado nada. Revisa el nombre, y que la cartera use esta cadena.",
    },
    self_payment: {
      title: "No puedes pagarte a ti mismo",
      text: "Quien paga y quien cobra son la misma cuenta. Elige otra para pagar.",
    },
    replayed: {
      title: "Este pago ya se usó",
      text: (payer) =>
        `No se ha cobrado nada más. Si era por un artículo, es de @${payer}: inicia sesión como @${payer} para leerlo, sin pagar otra vez.`,
    },
    sent_used: {
      title: "Tu transferencia ya se usó",
      text: "Ha abierto lo que pagó, en otra ventana de este navegador. No se ha cobrado nada más.",
    },
    sent_unrecognized: {
      title: "El servidor no reconoce este memo",
      text: "Si enviaste una transferencia con él, espera: esta página sigue preguntando, ahora y cuando la abras otra vez. Si no, empieza de nuevo.",
    },
    sent_void: {
      title: "Este memo ya no compra nada",
      text: "Si enviaste una transferencia con él, pregunta a quien vende, que tiene anotado lo que debe devolver. Si no, empieza de nuevo.",
    },
    other_network: {
      title: "Otra red",
      text: "La oferta es para una cadena en la que esta página no paga. No se firmó nada. Elige otra cosa o pregunta a quien vende.",
    },
    gone: {
      title: "Ya no está",
      text: "No se ha cobrado nada. Vuelve atrás y elige otra cosa.",
    },
    too_many: {
      title: "Demasiados intentos",
      text: "No se ha cobrado nada. Espera un momento e inténtalo de nuevo.",
    },
    refused: {
      title: "El pago fue rechazado",
      text: "No se ha cobrado nada. Inténtalo de nuevo o elige otra cuenta.",
    },
  },
  sendAgain: "Enviar otra vez el mismo pago",
  tryAgain: "Reintentar",
  requestId: (id) => `Número ${id}`,
  owned: {
    title: "Esto ya es tuyo",
    text: "Se pagó en otro dispositivo o en otra ventana. No se cobra otra vez.",
    show: "Mostrar",
  },
  quoteFailed: "Ahora no se puede leer el precio. Inténtalo de nuevo en un momento.",
  receipt: {
    title: "Recibo",
    paid: (amount, payer) => `${amount} de @${payer}`,
    transaction: "Transacción",
    block: "Bloque",
    copy: "Copiar el id de la transacción",
    copied: "Copiado",
    explorer: "Abrir en un explorador de bloques",
    payments: "Todos los pagos",
  },
  flow: {
    open: "Ver cada paso",
    title: "Este pago, paso a paso",
    text: "Lo que esta página envió y lo que volvió. Las claves se quedan donde están: solo viajan firmas.",
    empty: "Nada todavía: los pasos aparecen aquí mientras pagas.",
    server:
      "Antes de su última respuesta, el servidor hace comprobar la transferencia y ponerla en un bloque.",
  },
  tip: {
    title: (name) => `Dar propina a @${name}`,
    text: "Una transferencia en la cadena: llega entera.",
    amount: "Importe",
    other: "Otro",
    otherLabel: "Importe, HBD",
    lastStep: (name) => `Entregarla a @${name}`,
    done: (amount, name) => `@${name} ya tiene tus ${amount}.`,
    close: "Listo",
    untold: (name) => `La propina llegó, pero no se pudo avisar aquí a @${name}. Escríbele tú.`,
    chip: (n, total) => `${count.format(n)} ${plural.select(n) === "one" ? "propina" : "propinas"}, ${total}`,
    earlier: (n) =>
      `y ${count.format(n)} ${plural.select(n) === "one" ? "propina anterior" : "propinas anteriores"}`,
  },
  post: {
    label: "Mensaje de pago",
    paid: "Desbloqueado",
    unread: "Esto ya es tuyo, pero ahora no se puede traer su texto. Inténtalo de nuevo en un momento.",
    failed: "Ahora no se puede mostrar este mensaje de pago. Vuelve a cargar la página en un momento.",
  },
  loading: "Cargando…",
  continueReading: "Seguir leyendo",
  footnotes: {
    title: "Notas",
    back: (note, mention) =>
      mention > 1
        ? `Volver a la mención ${mention} de la nota ${note}`
        : `Volver a la nota ${note} en el texto`,
  },
};

export const articles: Translation<typeof articlesTexts> = {
  title: "Artículos",
  lead: "Cada uno cuesta lo que dice, una sola vez. Sin registro y sin suscripción: tu billetera firma una transferencia y la página se abre.",
  read: (title) => `Leer «${title}»`,
  yours: "Tuyo",
  library: {
    title: "Tu biblioteca",
    lead: "Lo que compras es tuyo: en cualquier dispositivo donde entre la cuenta que pagó, y en este navegador.",
  },
  closed: {
    title: "Aquí no hay nada a la venta",
    text: "Quien administra este servidor no ha indicado ninguna cuenta a la que pagar: falta PAYWALL_ACCOUNT.",
  },
  others: "Qué más se puede comprar",
  back: "Todos los artículos",
  missing: "Artículo no encontrado. Puede que lo hayan retirado: elige otro.",
  locked: "El resto de este artículo es para quienes lo pagan.",
  how: "Tu billetera firma una transferencia por este precio exacto, y unos tres segundos después se abre el artículo.",
};

export const offers: Translation<typeof offersTexts> = {
  title: "Qué se puede comprar",
  lead: "Páginas y llamadas que se vendieron por este servidor en los últimos 30 días, descritas por quien las vende. Un programa las paga todas de la misma manera.",
  search: "Buscar",
  searchButton: "Buscar",
  all: "Mostrar todo",
  seller: (name) => `Se paga a @${name}`,
  sold: (when) => `Comprobado por última vez: ${when}`,
  send: "Envías",
  receive: "Recibes",
  open: (name) => `Abrir «${name}»`,
  openShort: "Abrir",
  empty: {
    title: "Aquí aún no se ha vendido nada",
    text: "Una página o una llamada aparece cuando alguien la paga y quien la vende la anuncia. Compra un artículo y será lo primero.",
    textWithoutShop: "Una página o una llamada aparece cuando alguien la paga y quien la vende la anuncia.",
    action: "Ver los artículos",
  },
  none: {
    title: (words) => `No hay nada para «${words}»`,
    text: "Prueba con menos palabras o míralo todo.",
  },
  more: "Hay más. Busca lo que necesites.",
};

export const payments: Translation<typeof paymentsTexts> = {
  title: "Pagos",
  lead: "Lo que una cuenta de Hive pagó y ganó con páginas y llamadas sueltas, según la cadena.",
  account: "Cuenta",
  show: "Mostrar",
  choose: "¿Los pagos de quién?",
  chooseHint: "No has entrado. La cadena es pública: mira la cuenta que quieras.",
  balance: "Saldo",
  paid: "Pagado",
  earned: "Ganado",
  refunded: "Devuelto",
  refund: (reason) => (reason === undefined ? "Devolución" : `Devolución: ${reason}`),
  plotTitle: "Por día (UTC)",
  plotLabel: (paid, earned, days) =>
    `Barras por día durante ${days} días: ${paid} HBD pagados y ${earned} HBD ganados en total. La tabla de abajo tiene cada pago.`,
  tableTitle: "Últimos pagos",
  columns: { time: "Fecha", with: "Con", amount: "HBD", block: "Bloque", transaction: "Transacción" },
  to: (name) => `a @${name}`,
  from: (name) => `de @${name}`,
  empty: {
    title: (name) => `@${name} aún no ha pagado ni ganado nada`,
    text: "Desbloquea un artículo y aparecerá aquí unos segundos después.",
    textWithoutShop: "Un pago aparece aquí unos segundos después.",
    action: "Ver los artículos",
  },
  unknown: {
    title: "Cuenta no encontrada",
    text: "En Hive no hay ninguna cuenta con ese nombre. Revisa cómo está escrito y búscala otra vez.",
  },
  failed: {
    title: "Ahora no se pueden leer los pagos",
    text: "Hive no responde. No se ha perdido nada; inténtalo de nuevo en un momento.",
  },
  retry: "Reintentar",
};

export const wire: Translation<typeof wireTexts> = {
  title: "Inspector de red",
  text: "Lo que esta pestaña envía y recibe, según ocurre. Las cookies y las claves que dejarían entrar a otros no se anotan nunca.",
  noAnswer: "sin respuesta",
  signed: "firmado",
  kind: "Mostrar",
  kinds: { all: "Todo", http: "Llamadas", frames: "En vivo" },
  filter: "Filtrar por texto",
  pause: "Pausar",
  resume: "Seguir",
  clear: "Vaciar",
  paused: "En pausa. Lo que ocurre se sigue anotando.",
  resumed: "Se muestra otra vez lo que ocurre.",
  cleared: "El registro está vacío.",
  empty: "Nada todavía: aquí aparece lo que se envía y se recibe, según ocurre.",
  noMatch: "Nada coincide con el filtro. Prueba con otra palabra o muestra todo.",
  list: "Enviado y recibido, lo último al final",
  shown: (shown, all) => `${count.format(shown)} de ${count.format(all)}`,
  waiting: (more) => `${count.format(more)} más desde la pausa`,
  seq: (seq) => `n.º ${count.format(seq)}`,
  received: "recibido",
  sent: "enviado",
  newest: "Ir a lo último",
};

export const transfer: Translation<typeof transferTexts> = {
  scan: (amount, payee) =>
    `Escanea este código con el móvil y envía allí ${amount} a @${payee}. Después esta página sigue sola.`,
  send: (amount, payee) => `Envía ${amount} a @${payee} en tu billetera y vuelve a esta página. Sigue sola.`,
  wallets: "Billeteras",
  open: (wallet) => `Abrir ${wallet}`,
  code: (wallet) => `Código para escanear con ${wallet}`,
  here: "Abrir una billetera en este dispositivo",
  other: "Otra billetera",
  exactly:
    "Envía exactamente este importe en HBD con exactamente este memo, desde cualquier billetera de Hive.",
  hiveauth: {
    title: "Una billetera de HiveAuth",
    account: "Cuenta que paga",
    ask: "Preguntar a la billetera",
    connecting: "Conectando con HiveAuth.",
    admit:
      "Escanea este código con tu billetera de HiveAuth y acepta esta página. Después la billetera pregunta por la transferencia.",
    admitHere:
      "Acepta esta página en tu billetera de HiveAuth y vuelve. Después abre otra vez la billetera: pregunta por la transferencia.",
    code: "Código para escanear con una billetera de HiveAuth",
    open: "Abrir la billetera",
    cancel: "Dejar de preguntar",
    asked:
      "Confirma la transferencia en tu billetera; esta página sigue sola. A HiveAuth se le pregunta una sola vez por cada memo, para que nada se pague dos veces. Si tu billetera no muestra ninguna transferencia, usa otra.",
    unsent: {
      declined: "La billetera lo rechazó y no se envió nada. Pregunta otra vez o usa otra billetera.",
      expired:
        "La billetera no respondió a tiempo y no se envió nada. Pregunta otra vez o usa otra billetera.",
      relay_unavailable: "Ahora no se puede contactar con HiveAuth y no se envió nada. Usa otra billetera.",
    },
  },
  account: "Para",
  amount: "Importe",
  memo: "Nota (memo)",
  copyAccount: "Copiar la cuenta",
  copyAmount: "Copiar el importe",
  copyMemo: "Copiar el memo",
  awaiting: "Esperando tu transferencia. Tarda unos tres segundos en llegar.",
  noServer: "El servidor no responde. Esta página sigue preguntando: una transferencia enviada no se pierde.",
  left: (time) => `La oferta vale ${time} más.`,
  over: "Se acabó el tiempo de este memo. Si ya enviaste la transferencia, espera aquí: todavía vale. Si no, pide un memo nuevo.",
  renew: "Pedir un memo nuevo",
  otherWay: "Elegir otra forma",
  causes: {
    paid_too_little: (amount, payer) =>
      `Los ${amount} de @${payer} son menos que el precio, así que no compran nada.`,
    paid_too_much: (amount, payer) =>
      `Los ${amount} de @${payer} son más que el precio, así que no compran nada.`,
    paid_other_coin: (amount, payer) => `Los ${amount} de @${payer} no son HBD, así que no compran nada.`,
    paid_other_memo: (amount, payer) =>
      `Los ${amount} de @${payer} llegaron con espacios o saltos de línea alrededor del memo, así que no compran nada.`,
    paid_too_late: (amount, payer) =>
      `Los ${amount} de @${payer} llegaron demasiado tarde, así que no compran nada.`,
    paid_twice: (amount, payer) => `Los ${amount} de @${payer} son una transferencia de más.`,
  },
  states: {
    noted: "Quien vende tiene anotado que debe devolverlos.",
    sending: "Quien vende los está devolviendo.",
    returned: "Quien vende los ha devuelto.",
  },
  sendRight: (amount) => `Para seguir, envía exactamente ${amount} con el mismo memo.`,
};
