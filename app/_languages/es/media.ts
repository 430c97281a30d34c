import type { strings as mediaTexts } from "../../(demo)/_chat/media/strings.en.ts";
import type { Translation } from "../../(demo)/_ui/language.ts";

const count = new Intl.NumberFormat("es", { maximumFractionDigits: 1 });

export const media: Translation<typeof mediaTexts> = {
  picture: {
    label: (name) => (name === "" ? "Imagen" : `Imagen: ${name}`),
    enlarge: (name) => (name === "" ? "Ampliar la imagen" : `Ampliar: ${name}`),
    broken: "Esta imagen no se puede mostrar aquí. Ábrela donde está:",
    close: "Cerrar",
    previous: "Imagen anterior",
    next: "Imagen siguiente",
    place: (index, all) => `${index} de ${all}`,
    original: "Abrir el original",
    download: "Descargar",
  },
  file: {
    download: (name) => `Descargar ${name}`,
    size: (bytes) =>
      bytes < 1024
        ? `${bytes} bytes`
        : bytes < 1024 * 1024
          ? `${count.format(bytes / 1024)} KB`
          : `${count.format(bytes / 1024 / 1024)} MB`,
    kind: (extension) => (extension === "" ? "Archivo" : `Archivo ${extension.toUpperCase()}`),
  },
  preview: {
    pending: (amount) => `Recompensa por ahora: ${amount}`,
    paid: (amount) => `Recompensa pagada: ${amount}`,
  },
  upload: {
    add: "Añadir imágenes",
    list: "Imágenes por enviar",
    drop: "Suelta aquí las imágenes para añadirlas",
    name: (index) => `Nombre de la imagen ${index}`,
    remove: (name) => `Quitar ${name}`,
    cancel: (name) => `Cancelar ${name}`,
    retry: (name) => `Reintentar: ${name}`,
    progress: (name) => `Enviando ${name}`,
    failed: (name, problem) => `${name} no se ha enviado. ${problem}`,
    problems: {
      payload_too_large: "Ocupa más de lo que admite el servidor. Redúcela y vuelve a añadirla.",
      unsupported_media_type: "No es una imagen PNG, JPEG, GIF, WebP o AVIF. Elige otra.",
    },
    tooLarge: (names) => `Más de 10 MB: ${names}. Reduce el tamaño y vuelve a intentarlo.`,
    wrongType: (names) => `No se puede enviar aquí: ${names}. Usa imágenes PNG, JPEG, GIF, WebP o AVIF.`,
    tooMany: "Un mensaje admite diez imágenes como mucho. Envía estas primero y luego las demás.",
    waiting: "Se enviará en cuanto las imágenes estén listas.",
    hold: "No enviar todavía",
    blocked: "Una imagen no se ha enviado. Reinténtala o quítala, y luego envía.",
    blockedIn: (name) =>
      `${name === "" ? "Tu respuesta en un hilo" : `Tu mensaje en ${name}`} sigue en espera: una imagen no se ha enviado. Vuelve allí para reintentarla o quitarla.`,
    untitled: "Imagen",
  },
};
