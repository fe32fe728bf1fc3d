/* See wolfssl_rs_shim.h. */
#ifdef HAVE_CONFIG_H
    #include <config.h>
#endif
#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/internal.h>
#include <wolfssl/crl.h>

#include "wolfssl_rs_shim.h"

int wolfssl_rs_own_signature(const WOLFSSL* ssl)
{
    return (ssl->options.sigAlgo << 8) | ssl->options.hashAlgo;
}

int wolfssl_rs_peer_signature(const WOLFSSL* ssl)
{
    return (ssl->options.peerSigAlgo << 8) | ssl->options.peerHashAlgo;
}

void wolfssl_rs_set_middlebox_compat(WOLFSSL* ssl, int on)
{
    ssl->options.tls13MiddleBoxCompat = (on != 0);
}

/* Called when the extensions of a ClientHello have been read, right before the
 * first protocol of the client's list that the server knows is taken. */
static int own_alpn_first(WOLFSSL* ssl, int* alert, void* argument)
{
    TLSX* extension = TLSX_Find(ssl->extensions, TLSX_APPLICATION_LAYER_PROTOCOL);
    byte* offered = ssl->alpn_peer_requested;
    byte* end = offered + ssl->alpn_peer_requested_length;
    const ALPN* own;

    (void)alert;
    (void)argument;
    if (extension == NULL || offered == NULL)
        return 0;
    for (own = (const ALPN*)extension->data; own != NULL; own = own->next) {
        size_t size = XSTRLEN(own->protocol_name);
        byte* at;

        /* Entries are a length and a name; the parser has checked the bounds. */
        for (at = offered; at < end; at += 1 + *at) {
            if (*at == size && XMEMCMP(at + 1, own->protocol_name, size) == 0) {
                XMEMMOVE(offered + 1 + size, offered, (size_t)(at - offered));
                offered[0] = (byte)size;
                XMEMCPY(offered + 1, own->protocol_name, size);
                return 0;
            }
        }
    }
    return 0;
}

void wolfssl_rs_prefer_own_alpn(WOLFSSL_CTX* ctx)
{
    wolfSSL_CTX_set_servername_callback(ctx, own_alpn_first);
}

int wolfssl_rs_got_finished(const WOLFSSL* ssl)
{
    return ssl->msgsReceived.got_finished;
}

int wolfssl_rs_skip_answered_record(WOLFSSL* ssl)
{
    bufferStatic* input = &ssl->buffers.inputBuffer;

    if (input->idx - ssl->curStartIdx < ssl->curSize)
        return 0;
    input->idx += ssl->keys.padSz;
    return 1;
}

int wolfssl_rs_set_signature_schemes(WOLFSSL_CTX* ctx,
    const unsigned char* schemes, unsigned int size)
{
    if (ctx->suites == NULL || size == 0 || size % 2 != 0 ||
            size > sizeof(ctx->suites->hashSigAlgo)) {
        return BAD_FUNC_ARG;
    }
    XMEMCPY(ctx->suites->hashSigAlgo, schemes, size);
    ctx->suites->hashSigAlgoSz = (word16)size;
    return WOLFSSL_SUCCESS;
}

int wolfssl_rs_get_exporter(const WOLFSSL* ssl, wolfssl_rs_exporter* out)
{
    const Arrays* arrays = ssl->arrays;
    int tls13 = ssl->options.tls1_3;

    wc_static_assert(WOLFSSL_RS_SECRET_SIZE >= WC_MAX_DIGEST_SIZE);
    wc_static_assert(WOLFSSL_RS_SECRET_SIZE >= SECRET_LEN);
    wc_static_assert(WOLFSSL_RS_RANDOM_SIZE == RAN_LEN);
    if (arrays == NULL || !ssl->options.saveArrays ||
            !ssl->options.handShakeDone) {
        return BAD_STATE_E;
    }
    if (tls13) {
        out->secret_size = ssl->specs.hash_size;
        XMEMCPY(out->secret, arrays->exporterSecret, out->secret_size);
    }
    else {
        out->secret_size = SECRET_LEN;
        XMEMCPY(out->secret, arrays->masterSecret, out->secret_size);
    }
    out->hash = ssl->specs.mac_algorithm;
    XMEMCPY(out->client_random, arrays->clientRandom, RAN_LEN);
    XMEMCPY(out->server_random, arrays->serverRandom, RAN_LEN);
    return WOLFSSL_SUCCESS;
}

int wolfssl_rs_load_crl(WOLFSSL_CTX* ctx, const unsigned char* der, long size)
{
    if (ctx->cm == NULL || ctx->cm->crl == NULL)
        return BAD_STATE_E;
    return BufferLoadCRL(ctx->cm->crl, der, size, WOLFSSL_FILETYPE_ASN1,
                         NO_VERIFY);
}

int wolfssl_rs_send_alert(WOLFSSL* ssl, int description)
{
    return SendAlert(ssl, alert_fatal, description);
}

int wolfssl_rs_binds_handshake(const WOLFSSL* ssl)
{
    return ssl->options.tls1_3 || ssl->options.haveEMS;
}

int wolfssl_rs_ech_private_key(const WOLFSSL_CTX* ctx, unsigned char* key)
{
    word32 size = CURVE25519_KEYSIZE;

    if (ctx->echConfigs == NULL || ctx->echConfigs->receiverPrivkey == NULL ||
            ctx->echConfigs->kemId != DHKEM_X25519_HKDF_SHA256) {
        return BAD_FUNC_ARG;
    }
    return wc_curve25519_export_private_raw_ex(
        (curve25519_key*)ctx->echConfigs->receiverPrivkey, key, &size,
        EC25519_LITTLE_ENDIAN);
}

int wolfssl_rs_ech_add_key(WOLFSSL_CTX* ctx, const unsigned char* config,
    unsigned int configSz, const unsigned char* key)
{
    WOLFSSL_EchConfig* added = NULL;
    curve25519_key* private = NULL;
    byte public[CURVE25519_PUB_KEY_SIZE];
    int ret;

    ret = SetEchConfigsEx(&added, ctx->heap, config, configSz);
    if (ret != 0)
        return ret;
    if (added->next != NULL || added->kemId != DHKEM_X25519_HKDF_SHA256)
        ret = BAD_FUNC_ARG;
    if (ret == 0) {
        /* Allocated as wc_HpkeFreeKey will free it. */
        private = (curve25519_key*)XMALLOC(sizeof(*private), ctx->heap,
            DYNAMIC_TYPE_CURVE25519);
        if (private == NULL)
            ret = MEMORY_E;
    }
    if (ret == 0) {
        ret = wc_curve25519_init_ex(private, ctx->heap, INVALID_DEVID);
        if (ret == 0)
            added->receiverPrivkey = private;
        else
            XFREE(private, ctx->heap, DYNAMIC_TYPE_CURVE25519);
    }
    if (ret == 0)
        ret = wc_curve25519_make_pub(sizeof(public), public,
            CURVE25519_KEYSIZE, key);
    if (ret == 0 && XMEMCMP(public, added->receiverPubkey, sizeof(public)) != 0)
        ret = BAD_FUNC_ARG;
    if (ret == 0)
        ret = wc_curve25519_import_private_raw_ex(key, CURVE25519_KEYSIZE,
            public, sizeof(public), private, EC25519_LITTLE_ENDIAN);
    if (ret == 0) {
        added->next = ctx->echConfigs;
        ctx->echConfigs = added;
    }
    else {
        FreeEchConfigs(added, ctx->heap);
    }
    return ret;
}

int wolfssl_rs_session_version(const WOLFSSL_SESSION* session)
{
    return (session->version.major << 8) | session->version.minor;
}

int wolfssl_rs_session_suite(const WOLFSSL_SESSION* session)
{
    return (session->cipherSuite0 << 8) | session->cipherSuite;
}

int wolfssl_rs_session_is_resumable(const WOLFSSL_SESSION* session)
{
    return session->ticketLen > 0 ||
        (session->sessionIDSz > 0 && session->version.minor < TLSv1_3_MINOR);
}

void wolfssl_rs_session_drop_ticket(WOLFSSL_SESSION* session)
{
    session->ticketLen = 0;
}

unsigned int wolfssl_rs_session_early_data(const WOLFSSL_SESSION* session)
{
    return session->maxEarlyDataSz;
}

int wolfssl_rs_ticket_size(void)
{
    wc_static_assert(WOLFSSL_TICKET_ENC_SZ >=
        WOLFSSL_INTERNAL_TICKET_LEN + 32);
    return (int)WOLFSSL_INTERNAL_TICKET_LEN;
}

unsigned long long wolfssl_rs_ticket_issued(const unsigned char* ticket)
{
    const byte* stamp = ((const InternalTicket*)ticket)->timestamp;
    unsigned long long time = 0;
    int i;

    for (i = 0; i < TIMESTAMP_LEN; i++)
        time = (time << 8) | stamp[i];
    return time;
}

unsigned int wolfssl_rs_ticket_early_data(const unsigned char* ticket)
{
    const byte* size = ((const InternalTicket*)ticket)->maxEarlyDataSz;

    return ((word32)size[0] << 24) | ((word32)size[1] << 16) |
           ((word32)size[2] << 8) | size[3];
}

void wolfssl_rs_ticket_id(const unsigned char* ticket, unsigned char* id)
{
    XMEMCPY(id, ((const InternalTicket*)ticket)->id, ID_LEN);
}

int wolfssl_rs_resumed_ticket_id(const WOLFSSL* ssl, unsigned char* id)
{
    if (!ssl->options.resuming || !ssl->session->haveAltSessionID) {
        return 0;
    }
    XMEMCPY(id, ssl->session->altSessionID, ID_LEN);
    return 1;
}

void wolfssl_rs_begin_tickets(WOLFSSL* ssl, unsigned int max_early_data)
{
    ssl->session->ticketNonce.len = 0;
    ssl->options.maxEarlyDataSz = max_early_data;
}

int wolfssl_rs_early_data_offered(WOLFSSL* ssl)
{
    if (ssl->options.serverState == SERVER_HELLO_RETRY_REQUEST_COMPLETE) {
        TLSX_Remove(&ssl->extensions, TLSX_EARLY_DATA, ssl->heap);
        ssl->earlyData = no_early_data;
        return 0;
    }
    return ssl->earlyData == early_data_ext ||
        TLSX_Find(ssl->extensions, TLSX_EARLY_DATA) != NULL;
}

int wolfssl_rs_has_key_share(const WOLFSSL* ssl)
{
    KeyShareEntry* chosen = NULL;
    byte searched = 0;

    return TLSX_KeyShare_Choose(ssl, ssl->extensions, 0, 0, &chosen,
        &searched) == 0 && chosen != NULL;
}

void wolfssl_rs_refuse_early_data(WOLFSSL* ssl)
{
    ssl->options.ticketPredatesCtx = 1;
}

int wolfssl_rs_reads_early_data(const WOLFSSL* ssl)
{
    if (!IsAtLeastTLSv1_3(ssl->version)) {
        return 0;
    }
    return (ssl->options.handShakeState == NULL_STATE &&
            ssl->options.clientState == NULL_STATE) ||
        (ssl->options.handShakeState == SERVER_FINISHED_COMPLETE &&
            (ssl->earlyData == expecting_early_data ||
             ssl->earlyData == process_early_data));
}

int wolfssl_rs_takes_early_data(const WOLFSSL* ssl)
{
    return ssl->earlyData >= process_early_data;
}

int wolfssl_rs_psk_identity_size(const WOLFSSL* ssl, const char* identity)
{
    const TLSX* extension = TLSX_Find(ssl->extensions, TLSX_PRE_SHARED_KEY);
    const PreSharedKey* psk;

    if (extension == NULL) {
        return -1;
    }
    for (psk = (const PreSharedKey*)extension->data; psk != NULL;
            psk = psk->next) {
        if ((const char*)psk->identity == identity) {
            return psk->identityLen;
        }
    }
    return -1;
}

int wolfssl_rs_psk_suite(const WOLFSSL* ssl, int hash)
{
    const Suites* suites = WOLFSSL_SUITES(ssl);
    int i;

    for (i = 0; suites != NULL && i + 1 < suites->suiteSz; i += SUITE_LEN) {
        const byte* suite = suites->suites + i;
        if (suite[0] == TLS13_BYTE && SuiteMac(suite) == hash) {
            return (suite[0] << 8) | suite[1];
        }
    }
    return 0;
}
