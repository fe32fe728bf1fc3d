/* Facts that wolfSSL holds and its native API does not tell, and what it
 * has and does not offer.
 *
 * Compiled into the library with the library's own macros, so that its view of
 * wolfSSL's structs is the library's.
 */
#ifndef WOLFSSL_RS_SHIM_H
#define WOLFSSL_RS_SHIM_H

#include <wolfssl/ssl.h>

/* The signature in the handshake that this side made, and that the peer made:
 * wolfSSL's SignatureAlgorithm << 8 | wc_MACAlgorithm. */
int wolfssl_rs_own_signature(const WOLFSSL* ssl);
int wolfssl_rs_peer_signature(const WOLFSSL* ssl);

/* Turns TLS 1.3 middlebox compatibility (RFC 8446, appendix D.4) on or off for
 * one client connection that has not begun its handshake. It is on at first.
 * Encrypted Client Hello with a real configuration needs it off: wolfSSL puts
 * the session id into the encoded inner hello, where RFC 9849 wants it empty. */
void wolfssl_rs_set_middlebox_compat(WOLFSSL* ssl, int on);

/* Has a server choose by its own order among the protocols that a client offers
 * (RFC 7301, section 3.2); wolfSSL by itself goes by the client's. */
void wolfssl_rs_prefer_own_alpn(WOLFSSL_CTX* ctx);

/* Whether the peer's Finished has come; after wolfSSL_request_certificate, the
 * one that ends the client's answer. */
int wolfssl_rs_got_finished(const WOLFSSL* ssl);

/* Steps over the rest of a TLS 1.3 record whose last message asked for a
 * certificate, when signing the answer has to wait (WC_PENDING_E): wolfSSL does
 * it itself only when built for asynchronous crypto. 0 when the record holds
 * another message, which could not be found again. */
int wolfssl_rs_skip_answered_record(WOLFSSL* ssl);

/* Sets the signature schemes (RFC 8446, section 4.2.3) to offer and to accept,
 * in the order of preference, as on the wire: two bytes each. For a context
 * that no session uses yet and whose cipher list is set. Returns
 * WOLFSSL_SUCCESS, or BAD_FUNC_ARG when the list is empty or too long. */
int wolfssl_rs_set_signature_schemes(WOLFSSL_CTX* ctx,
    const unsigned char* schemes, unsigned int size);

/* What keying material is exported from, while a handshake that was begun
 * with wolfSSL_KeepArrays is not cleaned up yet. */
#define WOLFSSL_RS_SECRET_SIZE 64
#define WOLFSSL_RS_RANDOM_SIZE 32
typedef struct wolfssl_rs_exporter {
    unsigned char secret[WOLFSSL_RS_SECRET_SIZE]; /* exporter or master secret */
    unsigned int  secret_size;
    int           hash;      /* wc_MACAlgorithm of the suite */
    unsigned char client_random[WOLFSSL_RS_RANDOM_SIZE];
    unsigned char server_random[WOLFSSL_RS_RANDOM_SIZE];
} wolfssl_rs_exporter;

/* Returns WOLFSSL_SUCCESS, or BAD_STATE_E when it is too early or too late. */
int wolfssl_rs_get_exporter(const WOLFSSL* ssl, wolfssl_rs_exporter* out);

/* Adds a DER revocation list to a context whose lists are enabled. Unlike
 * wolfSSL_CTX_LoadCRLBuffer it takes lists of issuers that are no trust anchors
 * and may turn up in a handshake; every signature and date is checked when a
 * list is used. Returns WOLFSSL_SUCCESS or an error code. */
int wolfssl_rs_load_crl(WOLFSSL_CTX* ctx, const unsigned char* der, long size);

/* Sends a fatal alert for a failure that wolfSSL sent none for, under the keys
 * of the moment. Returns 0 or an error code. */
int wolfssl_rs_send_alert(WOLFSSL* ssl, int description);

/* Whether the master secret is bound to the handshake: extended master secret
 * (RFC 7627) in TLS 1.2, always in TLS 1.3. */
int wolfssl_rs_binds_handshake(const WOLFSSL* ssl);

/* The private key, 32 bytes, of the first Encrypted Client Hello configuration
 * of a server's context, which wolfSSL generates and keeps to itself. 0 or an
 * error code. */
int wolfssl_rs_ech_private_key(const WOLFSSL_CTX* ctx, unsigned char* key);

/* Adds one configuration (an ECHConfigList of one entry for X25519) with its
 * private key, 32 bytes, to a context that no connection uses yet. 0 or an error
 * code; BAD_FUNC_ARG when the two do not belong together. */
int wolfssl_rs_ech_add_key(WOLFSSL_CTX* ctx, const unsigned char* config,
    unsigned int configSz, const unsigned char* key);


/* ---- Sessions to resume ---- */

/* What a session was agreed on: its version and its suite, as on the wire. */
int wolfssl_rs_session_version(const WOLFSSL_SESSION* session);
int wolfssl_rs_session_suite(const WOLFSSL_SESSION* session);

/* Whether the server gave a ticket or a session id for it. */
int wolfssl_rs_session_is_resumable(const WOLFSSL_SESSION* session);

/* Takes the ticket out of a session, which stays resumable by its id. After a
 * full handshake without a new ticket, wolfSSL keeps the one that was offered
 * beside the new secret. */
void wolfssl_rs_session_drop_ticket(WOLFSSL_SESSION* session);

/* How much early data its server takes with it, in bytes. */
unsigned int wolfssl_rs_session_early_data(const WOLFSSL_SESSION* session);

/* ---- Tickets of a server ---- */

/* What a ticket holds before it is sealed has this size. */
int wolfssl_rs_ticket_size(void);

/* When a TLS 1.3 ticket was issued, in milliseconds since 1970; from what it
 * holds once it is opened. */
unsigned long long wolfssl_rs_ticket_issued(const unsigned char* ticket);

/* How much early data a ticket allows, and the id of its session, of which it
 * has 32 bytes; from what it holds once it is opened. */
unsigned int wolfssl_rs_ticket_early_data(const unsigned char* ticket);
void wolfssl_rs_ticket_id(const unsigned char* ticket, unsigned char* id);

/* The id of the session whose ticket a server has resumed, 32 bytes. A hello
 * can bring several tickets, and all are opened before one is chosen. Returns
 * 1, or 0 when no ticket was resumed. */
int wolfssl_rs_resumed_ticket_id(const WOLFSSL* ssl, unsigned char* id);

/* Prepares a TLS 1.3 server whose handshake is done to send tickets: their
 * nonces start at 0, as each handshake has a secret of its own, where wolfSSL
 * counts on from the resumed ticket's and stops at 255; and they allow this
 * much early data. */
void wolfssl_rs_begin_tickets(WOLFSSL* ssl, unsigned int max_early_data);

/* ---- Early data at a server ---- */

/* Whether the client's hello announced early data; for ticket and key
 * callbacks. A second hello cannot; there wolfSSL still has what the first one
 * said, which is removed. */
int wolfssl_rs_early_data_offered(WOLFSSL* ssl);

/* Whether the client's hello has a key share that this server takes. Without
 * one it asks for another hello, which wolfSSL does not do well once it has
 * accepted early data. */
int wolfssl_rs_has_key_share(const WOLFSSL* ssl);

/* Has early data that comes with this hello refused, while the handshake goes
 * on; for key callbacks, which wolfSSL calls for each suite it tries. */
void wolfssl_rs_refuse_early_data(WOLFSSL* ssl);

/* Whether wolfSSL_read_early_data is to be called next, not wolfSSL_accept. */
int wolfssl_rs_reads_early_data(const WOLFSSL* ssl);

/* Whether early data was accepted and is being or has been read. */
int wolfssl_rs_takes_early_data(const WOLFSSL* ssl);

/* ---- External keys ---- */

/* The size of an identity in the client's hello, of which a server's key
 * callback gets the address alone; -1 when there is no such identity. */
int wolfssl_rs_psk_identity_size(const WOLFSSL* ssl, const char* identity);

/* The first TLS 1.3 suite with this hash (wc_MACAlgorithm) that both sides
 * have, in the server's order, as on the wire; 0 for none. */
int wolfssl_rs_psk_suite(const WOLFSSL* ssl, int hash);

#endif
