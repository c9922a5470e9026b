// Modules and their functions: what a cubin says of itself, and of PTX as
// much as its text shows.
#include <cxxabi.h>
#include <elf.h>

struct Module;

struct Function {
    Module *module;
    std::string symbol, name; // `_Z5twicePfi` and `twice`
    std::vector<size_t> sizes, offsets;
    bool has_sizes;
    int most_threads, shared, dynamic_shared;
};

struct Variable { u64 address; size_t bytes; };

struct Module {
    Context *context;
    std::string image;
    bool is_cubin;
    std::map<std::string, Function *> functions;
    std::map<std::string, Variable> variables;
};

static Handles<Module> modules;
static Handles<Function> functions;

static std::string plain_name(const std::string &symbol) {
    int status = 0;
    char *text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string name = text ? text : symbol;
    free(text);
    size_t start = name.compare(0, 5, "void ") == 0 ? 5 : 0; // the type that instances of templates have
    return name.substr(start, name.find('(') - start);
}

static Function *new_function(Module *module, const std::string &symbol) {
    Function *function = functions.make(Function{module, symbol, plain_name(symbol), {}, {}, false, 1024, 0, SHARED_MEMORY});
    auto told = pairs(setting("FAKE_CUDA_PARAMS"), ';');
    auto found = told.find(function->name);
    if (found != told.end()) {
        function->has_sizes = true;
        function->sizes = numbers(found->second);
        size_t offset = 0;
        for (size_t size : function->sizes) {
            size_t align = size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
            offset = (offset + align - 1) / align * align;
            function->offsets.push_back(offset);
            offset += size;
        }
    }
    return function;
}

static u64 new_variable(Module *module, const std::string &name, size_t bytes, const char *from) {
    u64 address = fresh(std::max(bytes, size_t(1)));
    if (from) memcpy((void *)address, from, bytes);
    else memset((void *)address, 0, bytes);
    add(address, std::max(bytes, size_t(1)), VARIABLE, nullptr);
    module->variables[name] = Variable{address, bytes};
    return address;
}

// The sizes of arguments and the launch bounds: attributes of 4 bytes, of
// which those of the fourth format have a payload as long as their value.
static void read_info(Function *function, const char *at, const char *end) {
    bool is_told = function->has_sizes;
    std::map<unsigned, std::pair<size_t, size_t>> found;
    while (at + 4 <= end) {
        unsigned char form = (unsigned char)at[0], which = (unsigned char)at[1];
        uint16_t length;
        memcpy(&length, at + 2, 2);
        at += 4;
        if (form != 4) continue;
        if (at + length > end) break;
        if (which == 0x17 && length >= 12) { // an argument
            uint16_t ordinal, offset;
            uint32_t packed;
            memcpy(&ordinal, at + 4, 2);
            memcpy(&offset, at + 6, 2);
            memcpy(&packed, at + 8, 4);
            found[ordinal] = {offset, packed >> 18};
        } else if (which == 0x05 && length >= 12) { // the most threads, for each axis
            uint32_t axes[3];
            memcpy(axes, at, 12);
            function->most_threads = (int)(axes[0] * axes[1] * axes[2]);
        }
        at += length;
    }
    if (is_told) return;
    function->has_sizes = true;
    for (auto &each : found) {
        function->offsets.push_back(each.second.first);
        function->sizes.push_back(each.second.second);
    }
}

static bool read_cubin(Module *module) {
    const std::string &image = module->image;
    Elf64_Ehdr header;
    memcpy(&header, image.data(), sizeof header);
    if (header.e_machine != 190 || header.e_shentsize != sizeof(Elf64_Shdr)) return false;
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    if (header.e_shoff + sections.size() * sizeof(Elf64_Shdr) > image.size()) return false;
    memcpy(sections.data(), image.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
    auto name_of = [&](const Elf64_Shdr &section) {
        return std::string(image.data() + sections[header.e_shstrndx].sh_offset + section.sh_name);
    };
    for (auto &section : sections) {
        std::string name = name_of(section);
        if (name.compare(0, 9, ".nv.info.")) continue;
        Function *function = module->functions[name.substr(9)] = new_function(module, name.substr(9));
        read_info(function, image.data() + section.sh_offset, image.data() + section.sh_offset + section.sh_size);
    }
    for (auto &section : sections) {
        std::string name = name_of(section);
        if (name.compare(0, 11, ".nv.shared.") == 0 && module->functions.count(name.substr(11)))
            module->functions[name.substr(11)]->shared = (int)section.sh_size;
        if (section.sh_type != SHT_SYMTAB) continue;
        const char *texts = image.data() + sections[section.sh_link].sh_offset;
        for (size_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); i++) {
            Elf64_Sym symbol;
            memcpy(&symbol, image.data() + section.sh_offset + i * sizeof symbol, sizeof symbol);
            if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx >= sections.size()) continue;
            auto &home = sections[symbol.st_shndx];
            std::string where = name_of(home);
            if (where.compare(0, 10, ".nv.global") && where != ".nv.constant3") continue;
            bool is_set = home.sh_type != SHT_NOBITS;
            new_variable(module, texts + symbol.st_name, symbol.st_size,
                         is_set ? image.data() + home.sh_offset + symbol.st_value : nullptr);
        }
    }
    return true;
}

static size_t cubin_size(const char *image) {
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    size_t sections = header.e_shoff + size_t(header.e_shnum) * header.e_shentsize;
    return std::max(sections, header.e_phoff + size_t(header.e_phnum) * header.e_phentsize);
}

// A kernel's arguments in PTX: `.param .u64 name_param_0,`, `.align 8 .b8 name_param_1[20]`.
static void read_parameters(Function *function, const std::string &text) {
    static const auto &types = *new std::map<std::string, size_t>{
        {"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}};
    if (function->has_sizes) return;
    function->has_sizes = true;
    size_t offset = 0;
    for (size_t at = 0; (at = text.find(".param", at)) != std::string::npos; at++) {
        std::string one = text.substr(at + 6, text.find_first_of(",)", at) - at - 6);
        size_t dot = one.rfind('.'), digits = one.find_first_of("0123456789", dot);
        size_t size = types.at(one.substr(digits, one.find_first_not_of("0123456789", digits) - digits));
        size_t align = size, open = one.find('['), said = one.find(".align ");
        if (said != std::string::npos) align = strtoull(one.c_str() + said + 7, nullptr, 10);
        if (open != std::string::npos) size *= strtoull(one.c_str() + open + 1, nullptr, 10);
        offset = (offset + align - 1) / align * align;
        function->offsets.push_back(offset);
        function->sizes.push_back(size);
        offset += size;
    }
}

static bool read_ptx(Module *module) {
    const std::string &text = module->image;
    if (text.find(".version") == std::string::npos || text.find(".target") == std::string::npos) return false;
    for (size_t at = 0; (at = text.find(".entry ", at)) != std::string::npos;) {
        at += 7;
        size_t end = text.find_first_of(" (\n\r\t", at);
        std::string symbol = text.substr(at, end - at);
        Function *function = module->functions[symbol] = new_function(module, symbol);
        size_t body = text.find('{', at), open = text.find('(', at);
        if (open < body) read_parameters(function, text.substr(open, text.find(')', open) + 1 - open));
    }
    return true;
}

static int load(Call &call, Module **module, const void *image, size_t most = 0) {
    REQUIRE(module && image);
    const char *bytes = (const char *)image;
    uint32_t magic;
    memcpy(&magic, bytes, 4);
    bool is_cubin = memcmp(bytes, "\177ELF", 4) == 0;
    if (magic == 0x466243b1 || magic == 0xba55ed50) return call.done(NO_BINARY_FOR_GPU); // fat binaries
    size_t size = is_cubin ? cubin_size(bytes) : most ? most : strlen(bytes);
    Module *made = modules.make(Module{current(), std::string(bytes, size), is_cubin, {}, {}});
    if (!(is_cubin ? read_cubin(made) : read_ptx(made))) {
        modules.remove(made);
        return call.done(is_cubin ? INVALID_IMAGE : INVALID_PTX);
    }
    *module = made;
    call.says("%s %zu -> %p", is_cubin ? "cubin" : "ptx", size, (void *)made);
    DONE;
}

API cuModuleLoadData(Module **module, const void *image) {
    QUIET_CALL(UNCAPTURED);
    return load(call, module, image);
}

API cuModuleLoadDataEx(Module **module, const void *image, unsigned count, int *options, void **values) {
    QUIET_CALL(UNCAPTURED);
    REQUIRE(count == 0 || (options && values));
    // What the compiler has to say goes to the buffers that options name: 3 and 5 with sizes 4 and 6.
    for (unsigned i = 0; i < count; i++) {
        call.says("option %d", options[i]);
        if (options[i] == 4 || options[i] == 6) values[i] = nullptr;
        if ((options[i] == 3 || options[i] == 5) && values[i]) *(char *)values[i] = 0;
    }
    return load(call, module, image);
}

API cuModuleLoadFatBinary(Module **module, const void *image) {
    QUIET_CALL(UNCAPTURED);
    return load(call, module, image);
}

static std::string read_file(const char *path) {
    std::string text;
    if (FILE *file = fopen(path, "rb")) {
        char part[4096];
        while (size_t count = fread(part, 1, sizeof part, file)) text.append(part, count);
        fclose(file);
    }
    return text;
}

API cuModuleLoad(Module **module, const char *path) {
    CALL(UNCAPTURED, "%s", path ? path : "null");
    REQUIRE(path);
    std::string text = read_file(path);
    if (text.empty()) return call.done(FILE_NOT_FOUND);
    return load(call, module, text.c_str());
}

#define MODULE(module) \
    if (!modules.has(module)) return call.misuse(INVALID_HANDLE, "no module, or unloaded before"); \
    if (module->context != current()) return call.misuse(INVALID_HANDLE, "a module of another context")
#define FUNCTION(function) \
    if (!functions.has(function)) return call.misuse(INVALID_HANDLE, "no function, or its module was unloaded"); \
    if (function->module->context != current()) return call.misuse(INVALID_HANDLE, "a function of another context")

static void unload(Module *module) {
    for (auto &each : module->functions) functions.remove(each.second);
    for (auto &each : module->variables) {
        allocations.erase(each.second.address);
        discard(each.second.address, each.second.bytes);
    }
    modules.remove(module);
}

static void modules_go(Context *context) {
    for (Module *module : std::set<Module *>(modules.all))
        if (module->context == context) unload(module);
}

API cuModuleUnload(Module *module) {
    CALL(UNCAPTURED, "%p", (void *)module);
    MODULE(module);
    unload(module);
    DONE;
}

API cuModuleGetFunction(Function **function, Module *module, const char *symbol) {
    CALL(CURRENT, "%p %s", (void *)module, symbol ? symbol : "null");
    REQUIRE(function && symbol);
    MODULE(module);
    auto found = module->functions.find(symbol);
    if (found == module->functions.end()) return call.done(NOT_FOUND);
    *function = found->second;
    DONE;
}

API cuModuleGetGlobal_v2(u64 *address, size_t *bytes, Module *module, const char *symbol) {
    CALL(CURRENT, "%p %s", (void *)module, symbol ? symbol : "null");
    REQUIRE(symbol);
    MODULE(module);
    auto found = module->variables.find(symbol);
    if (found == module->variables.end()) return call.done(NOT_FOUND);
    if (address) *address = found->second.address;
    if (bytes) *bytes = found->second.bytes;
    DONE;
}

#ifndef OLD_DRIVER
API cuModuleGetLoadingMode(int *mode) { QUIET_CALL(INITIALISED); REQUIRE(mode); *mode = 2; DONE; }

API cuFuncGetName(const char **name, Function *function) {
    QUIET_CALL(CURRENT);
    REQUIRE(name);
    FUNCTION(function);
    *name = function->symbol.c_str();
    DONE;
}

API cuFuncGetModule(Module **module, Function *function) {
    QUIET_CALL(CURRENT);
    REQUIRE(module);
    FUNCTION(function);
    *module = function->module;
    DONE;
}

API cuFuncGetParamInfo(Function *function, size_t index, size_t *offset, size_t *size) {
    CALL(CURRENT, "%s %zu", functions.has(function) ? function->name.c_str() : "?", index);
    FUNCTION(function);
    if (!function->has_sizes) return call.done(NOT_SUPPORTED);
    REQUIRE(offset);
    if (index >= function->sizes.size()) return call.done(INVALID_VALUE);
    *offset = function->offsets[index];
    if (size) *size = function->sizes[index];
    DONE;
}
#endif

API cuFuncGetAttribute(int *value, int which, Function *function) {
    CALL(CURRENT, "%d", which);
    REQUIRE(value && which >= 0 && which < 16);
    FUNCTION(function);
    switch (which) {
    case 0: *value = function->most_threads; break;
    case 1: *value = function->shared; break;
    case 4: *value = 32; break; // registers
    case 5: case 6: *value = 90; break;
    case 8: *value = function->dynamic_shared; break;
    case 9: *value = -1; break;
    default: *value = 0;
    }
    DONE;
}

API cuFuncSetAttribute(Function *function, int which, int value) {
    CALL(CURRENT, "%d %d", which, value);
    FUNCTION(function);
    REQUIRE(which >= 8 && which < 16);
    if (which == 8) {
        if (value < 0 || value + function->shared > (int)MOST_SHARED_MEMORY) return call.done(INVALID_VALUE);
        function->dynamic_shared = value;
    }
    DONE;
}

API cuFuncSetCacheConfig(Function *function, int config) {
    CALL(CURRENT, "%d", config);
    FUNCTION(function);
    REQUIRE(config >= 0 && config < 4);
    DONE;
}

// Linking: the image that was added last is the answer; nothing is joined.

struct Link { Context *context; std::string image; bool is_complete; };
static Handles<Link> links;

#define LINK(link) \
    if (!links.has(link)) return call.misuse(INVALID_HANDLE, "no linker, or destroyed before")

API cuLinkCreate_v2(unsigned count, int *options, void **values, Link **link) {
    CALL(CURRENT, "%u", count);
    REQUIRE(link && (count == 0 || (options && values)));
    *link = links.make(Link{current(), "", false});
    call.says("-> %p", (void *)*link);
    DONE;
}

static int add_data(Call &call, Link *link, int type, std::string image) {
    LINK(link);
    if (link->is_complete) return call.misuse(INVALID_VALUE, "the linker has completed");
    REQUIRE(type >= 0 && type <= 5);
    if (type == 1 && image.find(".version") == std::string::npos) return call.done(INVALID_PTX);
    if (type == 0 && image.compare(0, 4, "\177ELF")) return call.done(INVALID_IMAGE);
    if (type < 2 || link->image.empty()) link->image = image;
    DONE;
}

API cuLinkAddData_v2(Link *link, int type, void *data, size_t size, const char *name, unsigned, int *, void **) {
    CALL(CURRENT, "%p %d %zu %s", (void *)link, type, size, name ? name : "");
    REQUIRE(data && size > 0);
    return add_data(call, link, type, std::string((const char *)data, size));
}

API cuLinkAddFile_v2(Link *link, int type, const char *path, unsigned, int *, void **) {
    CALL(CURRENT, "%p %d %s", (void *)link, type, path ? path : "null");
    REQUIRE(path);
    std::string text = read_file(path);
    if (text.empty()) return call.done(FILE_NOT_FOUND);
    return add_data(call, link, type, text);
}

API cuLinkComplete(Link *link, void **image, size_t *size) {
    CALL(CURRENT, "%p", (void *)link);
    REQUIRE(image);
    LINK(link);
    if (link->image.empty()) return call.done(INVALID_IMAGE);
    link->is_complete = true;
    *image = (void *)link->image.c_str();
    if (size) *size = link->image.size();
    DONE;
}

API cuLinkDestroy(Link *link) {
    CALL(CURRENT, "%p", (void *)link);
    if (!links.remove(link)) return call.misuse(INVALID_HANDLE, "no linker, or destroyed before");
    link->image.clear(); // what it had linked is gone with it
    DONE;
}
