// expect: trivially copyable objects, or spans of such
#include <raddle/ddm.h>

#include <map>
auto carried(std::map<int, int>& table) { return raddle::ddm::data(table); }
