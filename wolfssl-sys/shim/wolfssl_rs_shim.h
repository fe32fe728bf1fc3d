/* Facts that wolfSSL holds and its native API does not tell.
 *
 * Compiled into the library with the library's own macros, so that its view of
 * wolfSSL's structs is the library's. Every function reads and changes nothing.
 */
#ifndef WOLFSSL_RS_SHIM_H
#define WOLFSSL_RS_SHIM_H

#include <wolfssl/ssl.h>

/* The signature in the handshake that this side made, and that the peer made:
 * wolfSSL's SignatureAlgorithm << 8 | wc_MACAlgorithm. */
int wolfssl_rs_own_signature(const WOLFSSL* ssl);
int wolfssl_rs_peer_signature(const WOLFSSL* ssl);

#endif
