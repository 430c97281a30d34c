import type { strings as approvalTexts } from "../../(demo)/_chat/message/approval-strings.en.ts";
import type { Translation } from "../../(demo)/_ui/language.ts";

export const approval: Translation<typeof approvalTexts> = {
  title: (agent) => `${agent} pide dinero`,
  payee: "A",
  resource: "Por",
  reason: "Motivo",
  states: {
    waiting: (owner) => `Espera a ${owner}`,
    yours: "Espera tu respuesta",
    sent: (agent) => `Firmado. Esperando a ${agent}…`,
    refusing: (agent) => `Rechazado. Esperando a ${agent}…`,
    approved: "Aprobado: el pago está en marcha",
    paid: "Pagado",
    refused: "Rechazado: no se ha pagado nada",
    expired: "Demasiado tarde: no se ha pagado nada",
    unpaid: "Terminó sin pago",
    unclear: "Interrumpido: mira los pagos de la cuenta",
  },
  minutesLeft: (minutes) => (minutes === 1 ? "queda menos de un minuto" : `quedan ${minutes} minutos`),
  approve: (amount) => `Aprobar ${amount}`,
  refuse: "Rechazar",
  cancel: "Cancelar",
  signing: "Esperando la firma…",
  asksWallet: (amount, payee) => `Keychain te pide firmar la aprobación de ${amount} a ${payee}.`,
  otherWay: "Firmar de otra manera",
  keychain: "Usar Hive Keychain",
  key: {
    label: "Clave de publicación",
    hint: "Firma solo en esta página; nunca se envía ni se guarda.",
    button: "Firmar con esta clave",
    malformed: "Esto no es una clave privada: empieza por 5 y tiene 51 caracteres. Cópiala otra vez.",
    refused:
      "Las claves solo se escriben en el sandbox: una página que pide tu clave podría guardarla. Usa una cartera como Hive Keychain, que firma sin mostrar la clave.",
  },
  signedText: "El texto que se firma",
  notTheAgent: (agent) => `Este mensaje no es de ${agent}. No lo firmes.`,
  otherChat: (chat) => `Esta petición es para el chat de ${chat}. No la firmes aquí.`,
  failures: {
    wallet: "La cartera no ha firmado. Comprueba que tiene tu clave de publicación e inténtalo otra vez.",
    cancelled: "No has firmado. No se ha pagado nada.",
    stillAsking: "Keychain aún espera tu respuesta a una pregunta anterior. Respóndela e inténtalo otra vez.",
    unsent: "No se pudo enviar tu respuesta. Inténtalo otra vez.",
  },
  approved: (amount, payee) => `Apruebo ${amount} a ${payee}.`,
  refusal: (amount, payee) => `Rechazo ${amount} a ${payee}.`,
  signed: "Con una firma, que el agente comprueba",
};
