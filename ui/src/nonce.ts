/** The one-time word that lets styles made at run time pass the content security policy. */
import { setNonce } from 'get-nonce';

export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

setNonce(styleNonce);
