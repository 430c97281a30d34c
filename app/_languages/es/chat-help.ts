import type { strings } from "../../(demo)/_chat/shell/help-strings.en.ts";
import type { Translation } from "../../(demo)/_ui/language.ts";

export const help: Translation<typeof strings> = {
  title: "Atajos de teclado",
  rows: [
    ["Ctrl/⌘ K", "Encontrar un canal o a una persona"],
    ["Alt ↑ / ↓", "Canal anterior o siguiente"],
    ["Alt Mayús ↑ / ↓", "Canal sin leer anterior o siguiente"],
    ["↑ / ↓", "Anterior o siguiente (en la lista de mensajes o de conversaciones)"],
    ["Inicio / Fin", "Primero o último (en las mismas listas)"],
    ["← / →", "Al menú de una conversación y de vuelta (en la lista de conversaciones)"],
    ["U", "Marcar como no leído desde aquí (sobre un mensaje)"],
    ["↑", "Editar tu último mensaje (con el cuadro de texto vacío)"],
    ["Mayús ↑", "Responder al mensaje más reciente (con el cuadro de texto vacío)"],
    ["Ctrl/⌘ B / I", "Negrita, cursiva"],
    ["Intro", "Enviar"],
    ["Mayús Intro", "Línea nueva"],
    ["Esc", "Cerrar lo que esté abierto; marcar el canal como leído"],
    ["Ctrl/⌘ Mayús F", "Buscar mensajes"],
    ["Alt Mayús L", "Inspector de red"],
    ["Ctrl/⌘ /, o ?", "Esta ayuda"],
  ],
};
